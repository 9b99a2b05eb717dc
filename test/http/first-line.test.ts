/**
 * Requests as they come off the wire: cut anywhere, or so many at once that a read ends anywhere. It runs alone too, on
 * another machine: which library loads there decides what is asserted.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadLibrary } from '../../src/http/connections/uws.ts'
import { rawReply } from '../api/raw.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, startService } from '../support/service.ts'

const { name, failsOnPieces } = loadLibrary()
let service: Service
let request: string

before(async () => {
  const indexDir = temporaryFolder()
  const storeDir = temporaryFolder()
  await fixtureIndex(indexDir)
  const { key } = await accounts(storeDir, 'create', 'a', '--plan', 'business')
  service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir })
  request = `GET /v1/games HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`
})

after(async () => {
  assert.equal(await service.stop(), 0)
})

const patienceMs = 30_000

/** Sends the parts, each as a packet of its own; returns the statuses when so many came or the connection ended. */
async function statusesOf(parts: readonly string[], answers: number): Promise<number[]> {
  const { hostname, port } = new URL(service.address)
  const socket = connect({ port: Number(port), host: hostname, noDelay: true })
  socket.on('error', () => {})
  const heard = hear(socket, answers)
  await once(socket, 'connect')
  for (const [i, part] of parts.entries()) {
    if (i > 0) await sleep(15)
    socket.write(part)
  }
  const statuses = await heard
  socket.destroy()
  return statuses
}

function hear(socket: Socket, answers: number): Promise<number[]> {
  const statuses: number[] = []
  let rest = ''
  const done = new Promise<void>((resolve) => {
    setTimeout(resolve, patienceMs).unref()
    socket.on('close', resolve)
    socket.setEncoding('latin1').on('data', (data) => {
      const lines = (rest + data).split('\r\n')
      rest = lines.pop()!
      // An answer's status line follows the body before it without a break.
      for (const line of lines)
        for (const [, status] of line.matchAll(/HTTP\/1\.1 (\d+)/g)) statuses.push(Number(status))
      if (statuses.length >= answers) resolve()
    })
  })
  return done.then(() => statuses)
}

/** v20.49 takes what it has of the version for all of it: where it has some of it, or what stands before. */
function isKnownFault(cut: number): boolean {
  const line = request.slice(0, request.indexOf('\r\n') + 1)
  return failsOnPieces && (cut === line.indexOf(' ') + 1 || (cut >= line.lastIndexOf(' ') && cut <= line.length))
}

describe(`a request, with ${name}`, () => {
  it('in HTTP/1.0 gets 505 in HTML, as docs/api.md says', async () => {
    const text = await rawReply(service.address, request.replace('HTTP/1.1', 'HTTP/1.0'), (heard) => /<h1>/.test(heard))
    assert.match(text, /^HTTP\/1\.1 505 /)
    assert.doesNotMatch(text, /x-ratelimit|cache-control|"error"/i)
  })

  it('is answered wherever it is cut in two', async (t: TestContext) => {
    const cuts = Array.from({ length: request.length - 1 }, (_, i) => i + 1)
    const statuses = await Promise.all(cuts.map((cut) => statusesOf([request.slice(0, cut), request.slice(cut)], 1)))
    const refused = cuts.filter((_, i) => statuses[i]![0] === 505)
    for (const [i, cut] of cuts.entries()) {
      if (!isKnownFault(cut)) assert.deepEqual(statuses[i], [200], `cut after ${JSON.stringify(request.slice(0, cut))}`)
      else assert.ok(statuses[i]!.every((status) => status === 200 || status === 505))
    }
    if (failsOnPieces) t.diagnostic(`this library answered 505 to ${refused.length} of ${cuts.length} cuts`)
  })

  it('is answered if it comes in three parts, or in one a byte', async () => {
    const head = request.indexOf('\r\n') + 2
    const first = request.slice(0, failsOnPieces ? head : 1)
    const rest = request.slice(first.length)
    for (const size of [1, 7, Math.ceil(rest.length / 2)]) {
      const parts = rest.match(new RegExp(`[^]{1,${size}}`, 'g'))!
      assert.deepEqual(await statusesOf([first, ...parts], 1), [200], `${size} bytes a part`)
    }
  })

  for (const [count, parts] of [
    [2000, 1],
    [2000, 7],
    [20, 3],
  ] as const) {
    it(`is answered as one of ${count} in ${parts} write(s)`, async (t: TestContext) => {
      const text = request.repeat(count)
      const size = Math.ceil(text.length / parts)
      const writes = Array.from({ length: parts }, (_, i) => text.slice(i * size, (i + 1) * size))
      const statuses = await statusesOf(writes, count)
      if (failsOnPieces && statuses.length < count) {
        t.diagnostic(`this library gave up after ${statuses.length} of ${count} requests`)
        if (statuses.at(-1) === 505) statuses.pop()
        assert.ok(statuses.every((status) => status === 200))
      } else {
        assert.deepEqual(statuses, new Array(count).fill(200))
      }
    })
  }
})
