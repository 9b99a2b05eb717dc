/**
 * Ten thousand callers who ask seldom, and pauses as long as the server's patience:
 * straight at the server and behind both proxies as deploy configures them. Nothing that was accepted is lost.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { requestOf } from '../programs/hostile-requests.ts'
import { Callers, within } from '../programs/proxy-callers.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { type ProxyProcess, proxyNames, startProxy } from '../support/proxies.ts'
import { Wire } from '../support/proxy-wire.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, startService } from '../support/service.ts'

const idleConnections = 10_000
const accountCount = 7
/** Of this process, the server and the proxies. */
const descriptorsNeeded = 12_000
const openedAtOnce = 500
const idleMs = 15_000
/** The server closes what is idle for 8 to 12 s, the proxies after 60 and 75. */
const serverPatienceMs = 7000
const proxyPatienceMs = 50_000
/** By callers straight at the server. */
const askedEveryMs = 4000
/** On a machine that does much else. */
const answerMsMax = 5000

const indexDir = temporaryFolder()
const storeDir = temporaryFolder()
const keys: string[] = []
let service: Service
let serverPort: number
let callers: Callers

before(async () => {
  if (descriptorsMax() < descriptorsNeeded) limitDescriptors(process.pid, descriptorsNeeded)
  await fixtureIndex(indexDir)
  for (let i = 0; i < accountCount; i++) {
    keys.push((await accounts(storeDir, 'create', `caller ${i}`, '--plan', 'business')).key)
  }
  service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir })
  serverPort = Number(new URL(service.address).port)
  callers = await Callers.of(service, keys)
})

after(async () => assert.equal(await service.stop(), 0))

function descriptorsMax(): number {
  const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))!
  return Number(soft)
}

/** Of those that are opened from now on. To raise it may need root. */
function limitDescriptors(pid: number, count: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${count}:${count}`])
}

/** Room for connections that end with the test. */
function wiresOf(t: TestContext): Wire[] {
  const wires: Wire[] = []
  t.after(() => {
    for (const wire of wires) wire.close()
  })
  return wires
}

/** Adds connections that have asked once. */
async function openMany(wires: Wire[], port: number): Promise<void> {
  while (wires.length < idleConnections) {
    const opened = await Promise.all(Array.from({ length: openedAtOnce }, () => Wire.open(port)))
    await Promise.all(opened.map((wire) => callers.ask(wire, 'opening')))
    wires.push(...opened)
  }
}

/** Asks one by one while the others keep still, a few requests a connection; returns the longest wait, in ms. */
async function askFor(ms: number, port: number): Promise<number> {
  let longest = 0
  for (const until = Date.now() + ms; Date.now() < until; ) {
    const wire = await Wire.open(port)
    for (let request = 0; request < 100; request++) {
      longest = Math.max(longest, await callers.ask(wire, 'among idle ones'))
      await pause(5)
    }
    wire.close()
  }
  return longest
}

/**
 * All of them, some at once. As a caller does, it opens a connection anew that has ended or has been idle for longer than
 * `patienceMs`: that it ends just then is nobody's fault. Returns how many were.
 */
async function askEach(wires: Wire[], port: number, patienceMs: number, when: string): Promise<number> {
  let reopened = 0
  const askOne = async (i: number) => {
    const wire = wires[i]!
    if (wire.ended || Date.now() - wire.usedAt > patienceMs) {
      wire.close()
      wires[i] = await Wire.open(port)
      reopened++
    }
    await callers.ask(wires[i]!, when)
  }
  for (let at = 0; at < wires.length; at += openedAtOnce) {
    const count = Math.min(openedAtOnce, wires.length - at)
    await Promise.all(Array.from({ length: count }, (_, i) => askOne(at + i)))
  }
  return reopened
}

const isOpen = ({ ended }: Wire) => !ended
const descriptorsOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length

describe(`with ${idleConnections} idle connections`, () => {
  it('the server answers on, and each of them', async (t: TestContext) => {
    const wires = wiresOf(t)
    let rounds = 0
    let reopened = 0
    let done = false
    const keepAsking = async () => {
      for (; !done; rounds++) {
        const round = askEach(wires, serverPort, serverPatienceMs, `round ${rounds}`)
        reopened += (await Promise.all([round, pause(askedEveryMs)]))[0]
      }
    }
    const asking = keepAsking()
    const asked = openMany(wires, serverPort).then(() => askFor(idleMs, serverPort))
    const longest = await Promise.race([asked, asking.then(() => Number.NaN)])
    const held = descriptorsOf(service.child.pid!)
    done = true
    await asking
    t.diagnostic(`longest answer ${longest.toFixed(0)} ms; ${held} descriptors, ${reopened} reopened, ${rounds} rounds`)
    assert.ok(held > idleConnections / 2, `${held} descriptors`)
    assert.ok(longest < answerMsMax, `an answer took ${longest} ms`)
  })

  for (const name of proxyNames) {
    it(`${name} answers on, and each of them, over few connections to the server`, {
      skip: skipWithout(name),
    }, async (t: TestContext) => {
      const proxy = await startProxy(name, serverPort, { connectionsMax: descriptorsNeeded })
      const unopened = descriptorsOf(service.child.pid!)
      const wires = wiresOf(t)
      await openMany(wires, proxy.port)
      const longest = await askFor(idleMs, proxy.port)
      t.diagnostic(`longest answer ${longest.toFixed(0)} ms`)
      assert.ok(longest < answerMsMax, `an answer took ${longest} ms`)
      const held = descriptorsOf(service.child.pid!) - unopened
      assert.ok(held < 100, `${held} connections to the server`)
      const open = wires.filter(isOpen).length
      const reopened = await askEach(wires, proxy.port, proxyPatienceMs, 'after idling')
      t.diagnostic(`${open} were open, ${reopened} reopened`)
      assert.ok(open > idleConnections / 2, `${open} were open`)
      await proxy.stop()
    })
  }
})

for (const name of proxyNames) {
  describe(`at ${name}’s leisure`, { skip: skipWithout(name) }, () => {
    let proxy: ProxyProcess

    before(async () => {
      proxy = await startProxy(name, serverPort)
    })

    after(() => proxy.stop())

    it('callers may pause for as long as the server waits', async () => {
      const batch = '{"ids":["mtg-lea-21"]}'
      const post = requestOf(
        'POST /v1/cards/batch',
        keys[0]!,
        `Content-Type: application/json\r\nContent-Length: 22\r\n`,
      )
      await Promise.all(
        Array.from({ length: 160 }, async (_, i) => {
          const wire = await Wire.open(proxy.port)
          await callers.ask(wire, 'before the pause')
          await pause(4000 + i * 60)
          const when = `after ${4000 + i * 60} ms`
          if (i % 2 === 0) await callers.ask(wire, when)
          else assert.equal((await within(wire.ask(post + batch), when))?.status, 200, when)
          wire.close()
        }),
      )
    })

    it('a body that comes slowly is waited for', async () => {
      const body = '{"ids":["mtg-lea-21"]}'
      const wire = await Wire.open(proxy.port)
      wire.write(
        requestOf('POST /v1/cards/batch', keys[0]!, `Content-Type: application/json\r\nContent-Length: 22\r\n`),
      )
      for (let at = 0; at < body.length; at += 4) {
        await pause(1000)
        wire.write(body.slice(at, at + 4))
      }
      const answer = await within(wire.answer(), 'a slow body')
      assert.equal(answer?.status, 200)
      assert.equal(JSON.parse(answer!.body).data[0].id, 'mtg-lea-21')
      wire.close()
    })

    it('what the server never answers is given up', async () => {
      const wire = await Wire.open(proxy.port)
      const answer = await within(wire.ask(requestOf('GET /v1/games', keys[0]!, 'X-Nul: a\0b\r\n')), 'a NUL')
      assert.ok([400, 502, 504].includes(answer!.status), `${answer!.status}`)
      wire.close()
      const other = await Wire.open(proxy.port)
      await callers.ask(other, 'after a NUL')
      other.close()
    })
  })
}
