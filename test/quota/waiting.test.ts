/**
 * Requests that wait for the database. First the lease manager is played: what an answer costs, and when waiting ends. Then
 * over HTTP, with a database that hangs: each is answered, unless its client has left.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { BroadcastChannel } from 'node:worker_threads'
import { dayOfMs } from '../../src/calendar.ts'
import { plans } from '../../src/plans.ts'
import { pack, tagOf } from '../../src/quota/counters.ts'
import { LeasedCounts } from '../../src/quota/leases/leased-counts.ts'
import { type Answered, denials, leaseStateCounters, reserveLeases } from '../../src/quota/leases/shared-state.ts'
import { Store } from '../../src/store/store.ts'
import { accounts, temporaryFolder, withLimits } from '../support/command.ts'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import { requestText, Wire, type WireAnswer } from '../support/proxy-wire.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, send, startService } from '../support/service.ts'
import { accountsIn, countDown, noon } from './counting.ts'

const tag = tagOf(dayOfMs(noon))
const store = new Store(temporaryFolder())
const shared = reserveLeases()
const cells = leaseStateCounters(shared)
const channel = new BroadcastChannel(shared.channel)
channel.unref()
after(async () => {
  channel.close()
  await store.close()
})

/** A thread's counts, and how often it has tried to take. */
function countedTakes(waitMsMax?: number) {
  const counts = new LeasedCounts(shared, store, () => noon, waitMsMax)
  const take = counts.take.bind(counts)
  const work = { counts, takes: 0 }
  counts.take = (allowance, now) => {
    work.takes++
    return take(allowance, now)
  }
  return work
}

const waiting = (counts: LeasedCounts, accounts: number, requests: number) =>
  Array.from({ length: requests }, (_, i) => counts.resolve({ account: i % accounts, limit: 100_000 }))

/** As the lease manager does: a grant, then the word that there is an answer. */
function grant(account: number, requests: number): void {
  Atomics.store(cells.available, account, pack(tag, 100_000))
  Atomics.store(cells.left, account, pack(tag, requests))
  channel.postMessage({ account } satisfies Answered)
}

describe('The requests that wait for a lease', () => {
  for (const [requests, accounts, granted] of [
    [16_000, 1, 100],
    [16_000, 1, 16_000],
    [16_000, 160, 100],
    [2000, 2000, 1],
  ] as const) {
    it(`Each of ${requests} waiting requests is looked at about once (accounts: ${accounts}, grants of ${granted})`, async (context) => {
      const work = countedTakes()
      let settled = 0
      const all = waiting(work.counts, accounts, requests).map((answer) =>
        answer.then(({ left }) => {
          assert.ok(left >= 0)
          settled++
        }),
      )
      const busyBefore = performance.eventLoopUtilization()
      const answers = requests / granted
      for (let i = 0; i < answers; i++) {
        grant(i % accounts, granted)
        // The next grant comes when this one is used up, as with a real lease manager.
        while (settled < Math.min((i + 1) * granted, requests)) await new Promise(setImmediate)
      }
      await Promise.all(all)
      const { active } = performance.eventLoopUtilization(busyBefore)
      work.counts.close()
      context.diagnostic(`${work.takes} takes, ${Math.round(active)} ms busy`)
      // One each; one more for an answer that leaves some waiting, for the first of an account, and for each tick.
      const ticks = Math.ceil(active / 100) + 2
      assert.ok(work.takes <= requests + answers + accounts * (1 + ticks), `${work.takes} takes`)
    })
  }
})

it('A refusal answers all waiting requests of its account at once, and no others', async () => {
  const work = countedTakes()
  const refused = Array.from({ length: 50 }, () => work.counts.resolve({ account: 20_001, limit: 200 }))
  let others = 0
  for (let i = 0; i < 50; i++) work.counts.resolve({ account: 20_002, limit: 200 }).then(() => others++)
  Atomics.store(cells.denial, 20_001, pack(tag, denials.exhausted))
  channel.postMessage({ account: 20_001 } satisfies Answered)
  assert.ok((await Promise.all(refused)).every(({ left }) => left === -1))
  assert.equal(others, 0)
  work.counts.close()
})

it('Requests that wait too long for a lease are refused with 503, the oldest first', async () => {
  const waitMs = 800
  const laterMs = 400
  const work = countedTakes(waitMs)
  const start = performance.now()
  const ended: { order: number; ms: number }[] = []
  const ask = (order: number) =>
    work.counts.resolve({ account: 20_003, limit: 200 }).then(({ left }) => {
      assert.equal(left, -2)
      ended.push({ order, ms: performance.now() - start })
    })
  const first = [ask(0), ask(1)]
  await new Promise((resolve) => setTimeout(resolve, laterMs))
  const later = ask(2)
  await Promise.all([...first, later])
  const found = ended.map(({ order }) => order)
  assert.deepEqual(found, [0, 1, 2])
  assert.ok(ended[0]!.ms >= waitMs && ended[2]!.ms >= waitMs + laterMs - 1, JSON.stringify(ended))
  work.counts.close()
})

const skip = skipWithout('postgres')
const quota = plans.business.requestsPerDay
const postgres = await Postgres.start()
const names = ['waits', 'asks by headers', 'leaves', 'stops', 'stops unheard'] as const
const keys = skip === false ? await accountsIn(postgres.url(), names, 'business') : undefined
let storeDir = temporaryFolder()
let service: Pick<Service, 'address' | 'log' | 'stop'>
/** The database may hang for as long as a busy machine needs. */
const patient = {
  queryMsMax: 15_000,
  recoveryMs: 16_000,
  quotaWaitMsMax: 31_000,
  drainMsMax: 32_000,
  replicationGapMsMax: 16_000,
  serverGoneMsMin: 17_000,
}
if (skip === false) {
  const settings = { INDEX_DIR: await fixtureIndex(), STORE_DIR: storeDir, DATABASE_URL: postgres.url() }
  service = await startService({ ...settings, ...withLimits(patient) })
}
let key: string
after(() => service?.stop())

/** The database does not answer when it is asked for the account's first lease. */
function hang(name: (typeof names)[number]): void {
  key = keys![name]
  postgres.hang()
}

const get = (path: string, method = 'GET') => requestText(path, key).replace('GET', method)
const batch = '{"ids":["pokemon-base2-1"]}'
const post = (body: string) =>
  `POST /v1/cards/batch HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${batch.length}\r\n\r\n${body}`
const health = requestText('/healthz')

/** A connection, and the answer that comes to its request. */
interface Caller {
  readonly wire: Wire
  readonly answer: Promise<WireAnswer | undefined>
}

/** Sends each request behind another one, whose answer shows that both were read. */
const wait = (...requests: string[]): Promise<Caller[]> =>
  Promise.all(
    requests.map(async (request) => {
      const wire = await Wire.open(Number(new URL(service.address).port))
      wire.write(health + request)
      await wire.answer()
      assert.equal(wire.surplus, '', 'no answer before the database’s')
      return { wire, answer: wire.answer(request.startsWith('HEAD')) }
    }),
  )
const answers = (callers: readonly Caller[]) => Promise.all(callers.map(async ({ answer }) => (await answer)!))
const statusesOf = (given: readonly WireAnswer[]) => given.map(({ status }) => status)
const many = <One>(count: number, one: One) => new Array<One>(count).fill(one)
const falling = (numbers: readonly number[]) => [...numbers].sort((a, b) => b - a)
const isListening = () =>
  send(service.address, '/healthz').then(
    () => true,
    () => false,
  )
const usedToday = async (name: string): Promise<number> => (await accounts(storeDir, 'usage', name)).at(-1).requests

describe('A server while the database is asked', () => {
  it('A server lets requests wait while the database is asked, and answers each once the database has answered', {
    skip,
  }, async () => {
    hang('waits')
    const callers = await wait(
      ...many(10, get('/v1/games')),
      ...many(5, get('/v1/sets?limit=1', 'HEAD')),
      ...many(5, post(batch)),
      get('/v1/cards/nope'),
      get('/v1/cards/pokemon-base1-004/prices?days=91'),
    )
    postgres.resume()
    const given = await answers(callers)
    assert.deepEqual(statusesOf(given), [...many(20, 200), 404, 400])
    const remaining = given.map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    assert.deepEqual(falling(remaining), countDown(quota, callers.length))
    assert.match(given[15]!.body, /^\{"data":\[\{"id":"pokemon-base2-1",.*\}\]\}$/)
    assert.doesNotMatch(given[21]!.body, /"status":400/, '/prices answers in Form B')
  })

  it('A request that waited for a lease is answered as its conditional and encoding headers ask', {
    skip,
  }, async () => {
    hang('asks by headers')
    const withLine = (request: string, line: string) => request.replace('\r\n\r\n', `\r\n${line}\r\n\r\n`)
    const callers = await wait(
      withLine(get('/v1/games'), 'If-None-Match: "x", *'),
      withLine(get('/v1/games'), 'If-None-Match: *'),
      withLine(get('/v1/cards/nope'), 'If-None-Match: *'),
      withLine(get('/v1/games'), 'If-None-Match: "x"\r\nIf-None-Match: "y"'),
      withLine(get('/v1/games'), 'If-Match: "x"\r\nIf-Match: "y"'),
      withLine(get('/v1/games'), 'If-Match: *\r\nIf-None-Match: *'),
      withLine(get('/v1/bulk/pokemon', 'HEAD'), 'Accept-Encoding: identity'),
      withLine(get('/v1/bulk/pokemon', 'HEAD'), 'Accept-Encoding: br\r\nAccept-Encoding: gzip'),
      get('/v1/bulk/pokemon', 'HEAD'),
    )
    postgres.resume()
    assert.deepEqual(statusesOf(await answers(callers)), [200, 304, 404, 200, 412, 304, 406, 200, 200])
  })

  it('A server does not count a waiting request whose client left, and answers the others', { skip }, async () => {
    hang('leaves')
    const leaving = await wait(
      ...many(5, get('/v1/games')),
      ...many(3, post(batch)),
      ...many(3, post(batch.slice(0, 5))),
    )
    const staying = await wait(...many(5, get('/v1/games')), ...many(5, post(batch)))
    for (const { wire } of leaving) wire.close()
    for (let i = 0; i < 3; i++) await send(service.address, '/healthz')
    postgres.resume()
    const given = await answers(staying)
    assert.deepEqual(statusesOf(given), many(10, 200))
    const { headers } = await send(service.address, '/v1/games', { headers: { 'x-api-key': key } })
    assert.equal(Number(headers['x-ratelimit-remaining']), quota - given.length - 1)
    assert.ok(!service.log().includes('"level":50'), service.log())
  })

  it('A server that stops answers all waiting requests once the database answers, and ends', { skip }, async () => {
    hang('stops')
    const callers = await wait(...many(10, get('/v1/games')), ...many(5, post(batch)), post(batch.slice(0, 5)))
    const exited = service.stop()
    while (await isListening()) await sleep(10)
    postgres.resume()
    callers.at(-1)!.wire.write(batch.slice(5))
    const given = await answers(callers)
    assert.deepEqual(statusesOf(given), many(16, 200))
    const started = performance.now()
    assert.equal(await exited, 0)
    assert.ok(performance.now() - started < 20_000)
    assert.equal(await usedToday('stops'), 16)
  })

  it('A server that stops refuses all waiting requests if the database stays silent, and ends', { skip }, async () => {
    // In their order; the first is long beside what it takes to ask.
    const limits = { queryMsMax: 700, recoveryMs: 950, quotaWaitMsMax: 1900, drainMsMax: 2000 }
    storeDir = temporaryFolder()
    const own = { INDEX_DIR: await fixtureIndex(), STORE_DIR: storeDir, DATABASE_URL: postgres.url() }
    service = await startService({ ...own, ...withLimits(limits) })
    hang('stops unheard')
    const callers = await wait(...many(5, get('/v1/games')), ...many(3, post(batch)))
    const exited = service.stop()
    for (const { status, headers, body } of await answers(callers)) {
      assert.deepEqual([status, headers['retry-after']], [503, '1'])
      assert.match(body, /"code":"SERVICE_UNAVAILABLE"/)
    }
    const started = performance.now()
    assert.equal(await exited, 0)
    assert.ok(performance.now() - started < 20_000, `${performance.now() - started} ms`)
    assert.equal(await usedToday('stops unheard'), 0)
  })
})
