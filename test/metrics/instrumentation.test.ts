/** Metrics in this process: all of given figures, requests that wait, cached pages, connections, and the day. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, it } from 'node:test'
import { connect as connectSecurely } from 'node:tls'
import pino from 'pino'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { createAccount } from '../../src/accounts/registry.ts'
import type { Dataset } from '../../src/api/dataset.ts'
import { Instrumentation } from '../../src/http/instrumentation.ts'
import { Server } from '../../src/http/server.ts'
import type { LastUpdate } from '../../src/last-updates.ts'
import { metricsServer } from '../../src/metrics/listener.ts'
import { Metrics } from '../../src/metrics/metrics-registry.ts'
import { Readings } from '../../src/metrics/readings.ts'
import type { ServerFigures } from '../../src/metrics/server-rows.ts'
import {
  answersAt,
  bucketCount,
  bucketMsMax,
  bucketOf,
  countersOf,
  reserveBlocks,
  routeNumber,
  statuses,
  type ThreadCounters,
  takeOverCounters,
} from '../../src/metrics/thread-counters.ts'
import { RequestCounting } from '../../src/process/threads/counting.ts'
import { readSettings } from '../../src/settings.ts'
import { Store } from '../../src/store/store.ts'
import { softwareVersion } from '../../src/version.ts'
import { makePair } from '../support/certificates.ts'
import { documentText, temporaryFolder } from '../support/command.ts'
import { quietUpdate } from '../support/last-update.ts'
import { skipWithout } from '../support/programs.ts'
import { fixtureIndex } from '../support/sample.ts'
import { Scrape } from '../support/scrape.ts'
import { currentOf } from '../support/servers-here.ts'
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

/** The name, type and labels of each metric in docs/operating.md. */
const documented = [...documentText('docs/operating.md').matchAll(/^\| (`cpl_.*?) \| (.*?) \|/gm)].flatMap(
  ([, names, kind]) =>
    names!.match(/cpl_\w+/g)!.map((name) => `${name} ${kind!.match(/^\w+|(?<=`)\w+(?=`)/g)!.join(' ')}`),
)

const updateAt = (endedAt: string, success: boolean, ...held: LastUpdate['held']): LastUpdate => ({
  ...quietUpdate,
  endedAt,
  success,
  held,
})

/** Each differs from all others. */
const figures: ServerFigures = {
  api: 'https://api.example',
  versionsTaken: 1,
  versionsRefused: 2,
  isVersionRefused: true,
  isIndexUrlUp: false,
  versionBehindMs: 3500,
  threadsUp: 4,
  threadFailures: 5,
  hungThreads: 0,
  pagesThreadFailures: 25,
  flushAgeMs: 6500,
  served: {
    version: 'v1',
    asOf: '1970-01-02',
    publishedAt: '1970-01-01T00:00:08.500Z',
    counts: { cards: 9, sets: 10, historyRows: 11 },
  },
  database: { isUp: true, behind: 12, isRejected: false },
  byPlan: {
    free: { accounts: 13, liveKeys: 14 },
    trader: { accounts: 15, liveKeys: 16 },
    business: { accounts: 17, liveKeys: 18 },
  },
  flushFailures: 7,
  sessions: 19,
  certificateExpiresAt: 20_500,
  backedUpAt: 21_500,
  updates: {
    tcgcsv: updateAt('1970-01-01T00:00:22Z', true, { game: 'mtg', code: 'lea', runs: 23, figures: '' }),
    other: updateAt('1970-01-01T00:00:24Z', false),
  },
  isBuildFailed: true,
}

/** Of each metric its values, behind those of their labels; of routes, only a search. */
const expected = `http_requests_total 200 2, 204 0, 304 0, 405 0, 401 0, 403 0, 503 0, 429 4, 400 0, 412 0, 500 0
http_request_duration_seconds_bucket 0.00001 1, 0.000025 1, 0.00005 1, 0.0001 2, 0.00025 2, 0.0005 2, 0.001 2, 0.0025 2, \
0.005 2, 0.01 2, 0.025 2, 0.05 2, 0.1 2, 0.25 2, 0.5 2, 1 2, 5 2, +Inf 6
http_request_duration_seconds_sum 0.021; http_request_duration_seconds_count 6
search_duration_seconds_bucket 0.00001 41, 0.000025 84, 0.00005 129, 0.0001 176, 0.00025 225, 0.0005 276, 0.001 329, \
0.0025 384, 0.005 441, 0.01 500, 0.025 561, 0.05 624, 0.1 689, 0.25 756, 0.5 825, 1 896, 5 969, +Inf 1044
search_duration_seconds_sum 0.061; search_duration_seconds_count 1044
page_cache_total hit 81, miss 83; key_refusals_total missing 101, malformed 103, unknown 105, expired 107
quota_refusals_total free 121, trader 123, business 125; access_log_lines_dropped_total 141; connections 161; downloads 181
event_loop_delay_seconds 1 0.5 0.1, 1 0.99 0.101, 1 1 0.102, 2 0.5 0.101, 2 0.99 0.102, 2 1 0.103
build_info ${softwareVersion} 1; server_info https://api.example 1; data_info v1 1970-01-02 1
data_as_of_timestamp_seconds 86400; data_published_timestamp_seconds 8.5; data_cards 9; data_sets 10; data_history_rows 11
version_changes_total taken 1, refused 2; version_refused 1; index_url_up 0; index_version_behind_seconds 3.5
threads 4; thread_failures_total 5; pages_thread_failures_total 25; threads_hung_total 0; database_up 1; accounts_changes_behind 12
accounts_copy_refused 0; usage_flush_age_seconds 6.5; usage_flush_failures_total 7
accounts free 13, trader 15, business 17; live_keys free 14, trader 16, business 18; sessions 19
certificate_expires_timestamp_seconds 20.5; backup_timestamp_seconds 21.5
last_update_timestamp_seconds tcgcsv 22, other 24; last_update_success tcgcsv 1, other 0
last_build_failed 1; update_sets_held tcgcsv mtg lea 23`

it('Each metric has the name, type and labels of the documented table, and its value in the right unit', async () => {
  const slots = reserveBlocks(2).map(countersOf)
  const search = routeNumber('/v1/search')
  for (const [i, { answers, ...others }] of slots.entries()) {
    answers[answersAt(search, statuses.indexOf(200)) + 3 * i] = 1
    answers[answersAt(search, statuses.indexOf(429)) + bucketCount - 1] = 2
    for (const [part, cells] of Object.values(others).entries()) {
      for (const place of cells.keys()) cells[place] = 10 * (part + 1) + place + i
    }
  }
  let now = figures
  const metrics = new Metrics('A', slots, async () => now)
  const { text, values, types } = new Scrape(await metrics.render())
  const [kinds, shown] = [new Map<string, string>(), new Map<string, string>()]
  for (const [series, value] of values) {
    const [name = '', labels = ''] = series.split(/[{}]/)
    if (!name.startsWith('cpl_')) continue
    const metric = types.has(name) ? name : name.replace(/_[a-z]+$/, '')
    kinds.set(metric, [metric, types.get(metric), ...labels.matchAll(/\w+(?==")/g)].join(' '))
    if (/route="(?!.v1.search")/.test(labels)) continue
    const own = labels.match(/(?<=(?<!route)=")[^"]*/g) ?? []
    shown.set(name, [shown.get(name) ?? name.slice(4), ...own, value].join(' '))
  }
  assert.deepEqual([...kinds.values()].sort(), documented.sort(), 'the table of docs/operating.md')
  assert.deepEqual([...shown.values()], expected.replaceAll(',', '').split(/; |\n/))
  for (const [help] of text.matchAll(/(?<=^# HELP cpl_\w+ ).*/gm)) assert.match(help, /^(1|[A-Z]).*\w\.$/, 'a sentence')
  const misnamed = [...types].filter(([name, type]) => type === 'gauge' && name.endsWith('_total'))
  assert.deepEqual(misnamed, [], 'no gauge has the name of a counter')
  now = { ...figures, sessions: undefined, served: { ...figures.served!, asOf: null } }
  slots[0]!.connections[0]!++
  const later = await metrics.render()
  assert.ok(later.includes('\ncpl_connections 162\n'))
  assert.ok(later.includes('cpl_data_info{version="v1",as_of=""} 1\n'))
  assert.doesNotMatch(later, /^cpl_(sessions|data_as_of)/m, 'no series without a figure')
})

it('A scrape of metrics that can’t be rendered gets 500, and the log has the reason', async () => {
  const lines: string[] = []
  const render = () => Promise.reject(new Error('a reason'))
  const server = metricsServer(
    { contentType: '', health: assert.fail, render },
    pino({}, { write: (line) => lines.push(line) }),
  )
  closers.push(() => server.close(0))
  const { status, body } = await send(`http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`, '/metrics')
  const { level, msg, err } = JSON.parse(lines.join())
  assert.deepEqual([status, body], [500, 'The metrics could not be rendered; the log has the reason.\n'])
  assert.deepEqual([level, msg, err.message], [50, 'the metrics could not be rendered', 'a reason'])
})

const connections = ({ cells }: Counted) => cells.connections[0]!

it('A server follows a wall clock that is set ahead or back within a moment', async () => {
  let now = noon
  const { server, key } = await counted(() => now)
  const address = `http://127.0.0.1:${await server.apps.listen({ host: '127.0.0.1', port: 0, exclusive: true })}`
  for (const days of [0, 1, 400, -3, 0]) {
    now = noon + days * dayMs
    const end = String((noon + days * dayMs + dayMs / 2) / 1000)
    await until(`the day is ${days} later`, async () => {
      const { headers } = await send(address, '/v1/games', { headers: { 'x-api-key': key } })
      return headers['x-ratelimit-reset'] === end
    })
  }
})

it('The measured duration of a request includes the wait for its body, and a request whose client left is not counted', async () => {
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

it('A duration is counted in the first bucket whose bound it does not exceed', () => {
  const durations = [0, ...bucketMsMax.flatMap((bound) => [bound, bound + 1e-9]), Number.MAX_VALUE]
  const expected = [0, ...bucketMsMax.flatMap((_, i) => [i, i + 1]), bucketCount - 1]
  assert.deepEqual(durations.map(bucketOf), expected)
})

it('The metrics count requests that wait for their bodies, those given up, and look-ups in the page cache', async () => {
  const { server, key, cells } = await counted(Date.now)
  server.data = await currentOf(await fixtureIndex())
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

it('A replacement thread continues the counts, without the connections of the failed thread', async () => {
  const [block] = reserveBlocks(1)
  const before = takeOverCounters(block!)
  for (const cells of Object.values(before)) cells.fill(7)
  const replacement = takeOverCounters(block!)
  for (const [part, cells] of Object.entries(replacement)) {
    const expected = ['connections', 'downloads', 'loopMs'].includes(part) ? 0 : 7
    assert.deepEqual(new Set(cells), new Set([expected]), part)
  }
  assert.deepEqual(countersOf(block!), replacement)
  const counting = new RequestCounting(block!, readSettings({}), log)
  counting.update({ downloads: { count: 3 } } as Server)
  assert.equal(countersOf(block!).downloads[0], 3)
})

it('Connections with an earlier and with a new certificate are all counted, until each closes', {
  skip: skipWithout('openssl'),
}, async () => {
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
  const found = [...first, ...second].map(({ name }) => name)
  assert.deepEqual(found, ['one', 'one', 'two', 'two', 'two'])
  assert.equal(connections(here), 5)
  for (const { socket } of [first[0]!, second[0]!, second[1]!]) socket.destroy()
  await until('three have left', () => connections(here) === 2)
  for (const { socket } of [...first, ...second]) socket.destroy()
  await until('all have left', () => connections(here) === 0)
})
