/** Clients that never read what they are answered: what waits for them is bounded, and nobody else notices. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pino from 'pino'
import { patternOf, routes } from '../../src/api/routes.ts'
import { Connections, closedLogMs } from '../../src/http/connections/connections.ts'
import { Turn } from '../../src/http/connections/turn.ts'
import type { HttpResponse } from '../../src/http/connections/uws.ts'
import { turnCpuMsMax, unsentBytesMax, unsentThreadBytesMax } from '../../src/limits.ts'
import { addressOf } from '../api/route-requests.ts'
import { amount, itInAll, someOf } from '../support/amount.ts'
import { makePair } from '../support/certificates.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { pipelined, requestText } from '../support/proxy-wire.ts'
import { sampleIndex } from '../support/sample.ts'
import { type Service, startService } from '../support/service.ts'
import { ask, quickPace, reported, standUnread } from './unread-clients.ts'

/** Parameters of the longest answer, by operation. */
const longest: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  searchCards: { limit: '100', view: 'full' },
  listCards: { limit: '100', view: 'full' },
  listSets: { limit: '200' },
  getCardHistory: { period: 'all' },
  getCardPrices: { days: '90' },
}

/** For each route and each way to ask for it, what it is called and the request. */
function unreadRequests(key: string): ReadonlyMap<string, string> {
  const requests = new Map<string, string>()
  const head = (method: string, path: string, more = '') => `${method} ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
  const withKey = `X-API-Key: ${key}\r\n`
  for (const route of routes) {
    const path = addressOf(route, { ...longest[route.operation] })
    const name = `${route.method} ${patternOf(route.path)}`
    if (route.method === 'POST') {
      const type = 'Content-Type: application/json\r\n'
      requests.set(name, `${head('POST', path, `${withKey}${type}Content-Length: 10\r\n`)}{"ids":[]}`)
      requests.set(`${name} without a key`, `${head('POST', path, `${type}Content-Length: 10\r\n`)}{"ids":[]}`)
    } else {
      requests.set(name, head('GET', path, withKey))
      requests.set(`${name} again`, head('GET', path, `${withKey}If-None-Match: *\r\n`))
      requests.set(`${name} without a key`, head('GET', path))
      requests.set(`HEAD ${patternOf(route.path)}`, head('HEAD', path))
    }
    requests.set(`OPTIONS ${patternOf(route.path)}`, head('OPTIONS', path))
    requests.set(`DELETE ${patternOf(route.path)}`, head('DELETE', path))
  }
  requests.set('no route', head('GET', '/nothing'))
  return requests
}

/** By what is asked for. */
const answers = ['GET /openapi.json', 'GET /v1/search', 'OPTIONS /healthz'] as const
const pace = amount(0, 1) === 1 ? undefined : quickPace
const isLinux = process.platform === 'linux'
const [indexDir, storeDir] = [await sampleIndex(), temporaryFolder()]
const { key } = await accounts(storeDir, 'create', 'shop', '--plan', 'business')

for (const secure of someOf([false, true], 1)) {
  const skip = !isLinux ? 'reads the memory of a process from /proc' : secure && skipWithout('openssl')
  describe(`A server and clients that do not read, ${secure ? 'over TLS' : 'plain'}`, { skip }, () => {
    let service: Service
    before(async () => {
      const pair = secure ? await makePair('localhost') : undefined
      const tls = pair && { TLS_CERT: pair.cert, TLS_KEY: pair.key }
      service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir, ...tls })
    })
    after(async () => {
      assert.equal(await service.stop(), 0)
    })

    const stand = (requests: readonly string[], connections: number, times: number) =>
      standUnread(service, { address: service.address, requests, connections, times }, '/healthz', pace)

    if (!secure) {
      it(`A client that pipelines and reads gets every response in order, and nothing is logged (${secure ? 'TLS' : 'plain'})`, async () => {
        const statuses = await pipelined(service.address, requestText('/v1/search?q=e&limit=20', key), 500)
        assert.deepEqual([...statuses], [[200, 500]])
        assert.equal(await ask(service.address, '/nope'), 404)
        assert.equal(service.log(), '')
      })
    }

    for (const name of someOf(answers, secure ? 1 : 2)) {
      it(`Unread responses to ${name} take less than 48 MB of the server’s memory (${secure ? 'TLS' : 'plain'})`, async (test) => {
        const seen = await stand([unreadRequests(key).get(name)!], 4, 1000)
        test.diagnostic(reported(seen))
        assert.ok(seen.peakMb < 48, reported(seen))
      })
    }

    const itPlain = secure ? itInAll : it
    itPlain(
      `The server closes clients that request all routes and read nothing, and logs that once (${secure ? 'TLS' : 'plain'})`,
      async (test) => {
        const seen = await stand([[...unreadRequests(key).values()].join('')], 8, 60)
        test.diagnostic(reported(seen))
        assert.ok(seen.peakMb < 48, reported(seen))
        const lines = service.log().trim().split('\n')
        assert.equal(lines.length, 1)
        assert.match(
          lines[0]!,
          /"level":40.*"unread":\d,"pipelined":\d,"msg":"closed connections of clients that leave/,
        )
      },
    )
  })
}

it('A turn of the event loop that takes too long closes busy connections one by one, but never the only one', async () => {
  const closedOf = async (connections: number, turn = new Turn()) => {
    const seen = { closed: 0, cpuMs: 0, ms: 0 }
    const [since, from] = [process.threadCpuUsage(), performance.now()]
    const spentMs = ({ user, system } = process.threadCpuUsage(since)) => (user + system) / 1000
    while (spentMs() < 1.3 * turnCpuMsMax) {
      if (turn.isOverlong(connections) && ++seen.closed === 1) seen.cpuMs = spentMs()
    }
    seen.ms = performance.now() - from
    await nextTurn()
    for (let i = 0; i < 300; i++) assert.ok(!turn.isOverlong(connections), 'the next turn begins anew')
    await nextTurn()
    return seen
  }
  const turn = new Turn()
  for (const what of ['first', 'second']) {
    const { closed, cpuMs, ms } = await closedOf(2, turn)
    const message = `${what} turn: ${closed} closed within ${ms} ms, the first after ${cpuMs} ms of CPU time`
    assert.ok(closed > 2 && closed <= 1 + ms / 0.3 && cpuMs >= turnCpuMsMax, message)
  }
  for (const connections of [1, 1e9]) assert.equal((await closedOf(connections)).closed, 0, `${connections}`)
})

it('The server closes a connection if it, or all of its thread, have too many unread bytes, and logs that once a minute', (test) => {
  let now = 1e6
  test.mock.method(performance, 'now', () => now)
  const [lines, open]: [string[], Float64Array] = [[], new Float64Array(1)]
  const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(line) })
  const connections = new Connections(log, open)
  let unsent = 0
  connections.measureBy(() => unsent)
  let closed = 0
  const res = { close: () => closed++ } as unknown as HttpResponse
  const isClosed = (ofThread: number, bytes: number) => {
    ;[open[0], unsent] = [ofThread, bytes]
    return connections.closeExcess(res)
  }
  const share = unsentThreadBytesMax / 256
  assert.deepEqual([isClosed(1, unsentBytesMax), isClosed(256, share), closed], [false, false, 0])
  assert.deepEqual([isClosed(1, unsentBytesMax + 1), isClosed(256, share + 1), closed], [true, true, 2])
  while (!isClosed(2, 0));
  for (const ms of [closedLogMs - 1, 1, closedLogMs - 1, 1]) {
    now += ms
    isClosed(1, unsentBytesMax + 1)
  }
  const msg = 'closed connections of clients that leave responses unread or pipeline too many requests'
  const logged = [
    [1, 0],
    [3, 1],
    [2, 0],
  ].map(([unread, pipelined]) => ({ level: 40, unread, pipelined, msg }))
  const found = lines.map((line) => JSON.parse(line))
  assert.deepEqual(found, logged)
})

itInAll('Clients whose pipelines keep others waiting are closed, and the others are served', async () => {
  const service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir })
  const requests = [unreadRequests(key).get('GET /v1/games')!]
  const unread = { address: service.address, requests, connections: 40, times: 2000 }
  const seen = await standUnread(service, unread, '/healthz', pace)
  assert.ok(seen.others > 0)
  await service.logs(/^\{"level":40.*"unread":0,"pipelined":1,"msg":"closed connections of clients.*\n$/)
  assert.equal(await service.stop(), 0)
})
