/** Instrumentation in this process: requests that wait, cached pages, connections, and the day. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, it } from 'node:test'
import { connect as connectSecurely } from 'node:tls'
import pino from 'pino'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { createAccount } from '../../src/accounts/registry.ts'
import { type Dataset, openDataset } from '../../src/api/dataset.ts'
import { Instrumentation } from '../../src/http/instrumentation.ts'
import { Server } from '../../src/http/server.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { Readings } from '../../src/metrics/readings.ts'
import {
  bucketMsMax,
  countersOf,
  reserveBlocks,
  routeNumber,
  type ThreadCounters,
  takeOverCounters,
} from '../../src/metrics/thread-counters.ts'
import { Store } from '../../src/store/store.ts'
import { makePair } from '../support/certificates.ts'
import { temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { fixtureIndex } from '../support/sample.ts'
import { send } from '../support/service.ts'
import { until } from '../support/until.ts'

const dayMs = 86_400_000
const noon = Date.UTC(2026, 10, 20, 12)
const log = pino({ level: 'silent' })
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Counted {
  readonly server: Server
  readonly key: string
  readonly block: SharedArrayBuffer
  readonly cells: ThreadCounters
}

async function counted(clock: () => number, TLS_CERT?: string): Promise<Counted> {
  const storeDir = temporaryFolder()
  const store = new Store(storeDir)
  const { key } = createAccount(store, 'a', 'free', noon)
  await store.close()
  const host = await AccountsHost.open({ storeDir, log })
  const block = reserveBlocks(1)[0]!
  const cells = takeOverCounters(block)
  const authenticator = new Authenticator(host.shared, clock)
  const server = new Server({
    settings: { API_FORM: 'A', TLS_CERT },
    authenticator,
    log,
    instrumentation: new Instrumentation(cells, undefined, clock),
  })
  closers.push(
    () => host.close(),
    () => authenticator.close(),
    () => server.stop(),
  )
  return { server, key, block, cells }
}

const connections = ({ cells }: Counted) => cells.connections[0]!

it('a wall clock that is set, ahead or back, is followed within a moment', async () => {
  let now = noon
  const { server, key } = await counted(() => now)
  const address = `http://127.0.0.1:${await server.apps.listen({ host: '127.0.0.1', port: 0, exclusive: true })}`
  for (const days of [0, 1, 400, -3, 0]) {
    now = noon + days * dayMs
    const end = String((noon + days * dayMs + dayMs / 2) / 1000)
    await until(
      `the day is ${days} later`,
      async () => {
        const { headers } = await send(address, '/v1/games', { headers: { 'x-api-key': key } })
        return headers['x-ratelimit-reset'] === end
      },
      5000,
    )
  }
})

it('the time of a request that waits is with its wait, and one whose client leaves is not counted', async () => {
  const { server, key, cells } = await counted(Date.now)
  // Nothing else of it is asked for.
  server.data = { health: Buffer.from('{}') } as Partial<Dataset> as Dataset
  const port = (await server.apps.listen({ host: '127.0.0.1', port: 0, exclusive: true }))!
  const sockets = Array.from({ length: 3 }, () => connect(port, '127.0.0.1'))
  const head = `POST /v1/match HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`
  for (const socket of sockets) socket.write(`${head}Content-Length: 1\r\n\r\n`)
  await until('all wait', () => server.waiting.count === 3)
  const from = performance.now()
  assert.equal((await send(`http://127.0.0.1:${port}`, '/healthz')).status, 200)
  sockets[0]!.destroy()
  await until('one has left', () => server.waiting.count === 2)
  await until('the others have waited', () => performance.now() - from > 120)
  for (const socket of sockets.slice(1)) {
    socket.write('x')
    await once(socket, 'data')
  }
  const readings = new Readings([cells])
  const { buckets, ms } = readings.durations(routeNumber('/v1/match'))
  const longer = bucketMsMax.findIndex((bound) => bound >= 100) + 1
  const countOf = (counts: Float64Array) => counts.reduce((sum, count) => sum + count, 0)
  assert.deepEqual([countOf(buckets.slice(0, longer)), countOf(buckets.slice(longer))], [0, 2])
  assert.ok(ms > 240, `${ms} ms`)
  const health = readings.durations(routeNumber('/healthz'))
  assert.equal(countOf(health.buckets), 1)
  assert.ok(health.ms < ms / 2, `${health.ms} of ${ms} ms`)
  for (const socket of sockets) socket.destroy()
})

it('who waits, has waited, and was given up is known, and each look-up of a cached page', async () => {
  const { server, key, cells } = await counted(Date.now)
  const indexDir = await fixtureIndex()
  server.data = await openDataset(await loadVersion(indexDir, readFileSync(join(indexDir, 'current'), 'utf8').trim()))
  const { waiting } = server
  const port = (await server.apps.listen({ host: '127.0.0.1', port: 0, exclusive: true }))!
  const figures = () => [waiting.count, waiting.givenUp]
  const ask = (path: string) => send(`http://127.0.0.1:${port}`, path, { headers: { 'x-api-key': key } })

  /** Sends a batch but for its end. */
  async function half(): Promise<Socket> {
    const before = waiting.count
    const socket = connect(port, '127.0.0.1').setEncoding('latin1')
    const head = `POST /v1/cards/batch HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`
    socket.write(`${head}Content-Length: 10\r\n\r\n{"ids`)
    await until('the body is waited for', () => waiting.count === before + 1)
    return socket
  }

  assert.deepEqual(figures(), [0, 0])
  const [whole, leaving, never] = [await half(), await half(), await half()]
  assert.deepEqual(figures(), [3, 0])
  whole.write('":[]}')
  assert.match(String((await once(whole, 'data'))[0]), /^HTTP\/1\.1 200 .*\{"data":\[\]\}$/s)
  assert.deepEqual(figures(), [2, 0])
  leaving.destroy()
  await until('it has left', () => waiting.count === 1)
  assert.deepEqual(figures(), [1, 0])

  for (let i = 0; i < 5; i++) assert.equal((await ask('/v1/search?q=forest')).status, 200)
  assert.deepEqual([...cells.pages], [3, 2], 'cached from its second time on')
  for (let i = 0; i < 3; i++) assert.equal((await ask('/v1/sets?limit=1')).status, 200)
  assert.deepEqual([...cells.pages], [4, 4])

  const reported = once(never, 'data')
  await server.stop(500)
  assert.match(String((await reported)[0]), /^HTTP\/1\.1 503 .*"SERVICE_UNAVAILABLE"/s)
  assert.deepEqual(figures(), [0, 1])
  whole.destroy()
})

it('a replacement of a slot counts on, and has none of the connections of the one before', async () => {
  const [block] = reserveBlocks(1)
  const before = takeOverCounters(block!)
  for (const cells of Object.values(before)) cells.fill(7)
  const replacement = takeOverCounters(block!)
  for (const [part, cells] of Object.entries(replacement)) {
    const expected = ['connections', 'downloads', 'loopMs'].includes(part) ? 0 : 7
    assert.ok(
      cells.every((cell) => cell === expected),
      part,
    )
  }
  assert.deepEqual(countersOf(block!), replacement)
})

it('connections are counted with the certificate that they have', { skip: skipWithout('openssl') }, async () => {
  const here = await counted(Date.now, 'a file')
  const { server } = here
  const pairs = [await makePair('one'), await makePair('two')]
  server.apps.secure(pairs[0]!)
  const port = (await server.apps.listen({ host: '127.0.0.1', port: 0, exclusive: true }))!
  const open = async () => {
    const socket = connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    return { socket, name: socket.getPeerCertificate().subject.CN }
  }
  const first = [await open(), await open()]
  server.apps.secure(pairs[1]!)
  const second = [await open(), await open(), await open()]
  assert.deepEqual(
    [...first, ...second].map(({ name }) => name),
    ['one', 'one', 'two', 'two', 'two'],
  )
  assert.equal(connections(here), 5)
  for (const { socket } of [first[0]!, second[0]!, second[1]!]) socket.destroy()
  await until('three have left', () => connections(here) === 2)
  for (const { socket } of [...first, ...second]) socket.destroy()
  await until('all have left', () => connections(here) === 0)
})
