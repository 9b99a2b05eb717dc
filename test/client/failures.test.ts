/** The client of clients/typescript against servers that fail in every way: what it asks again, how often, and what it throws. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, describe, it } from 'node:test'
import { inspect } from 'node:util'
import { CardPrices, CardPricesError } from '../../clients/typescript/src/index.ts'
import { itInAll } from '../support/amount.ts'
import { type Act, answer, breakOff, fail, hangUp, ignore, stall, startScripted } from './scripted-server.ts'

const key = 'cpl_live_secret-of-nobody'
const card = { id: 'a', name: 'A', game: 'mtg', prices: { market: 1 } }
const good = answer(200, { data: card }, { etag: '"1"' })
const soon = { 'retry-after': '0' }
const busy = fail(503, 'SERVICE_UNAVAILABLE', soon)

const server = await startScripted()
after(() => server.close())

const client = (more: object = {}) => new CardPrices({ baseUrl: server.address, apiKey: key, ...more })

/** The error that a call throws; nothing of it may have the key. */
async function thrownBy(call: () => Promise<unknown>): Promise<CardPricesError> {
  const error = await call().then(
    () => assert.fail('it throws nothing'),
    (error) => error,
  )
  const shown = inspect(error, { depth: null, showHidden: true })
  const reported = [shown, String(error), error.stack, JSON.stringify(error)]
  for (const text of reported) assert.ok(!text.includes(key), text)
  return error
}

const allOf = (items: AsyncIterable<unknown>): Promise<unknown[]> => Readable.from(items).toArray()

type Acts = readonly [Act, ...Act[]]
/** An error's name, status, code and retryAfter. */
type Thrown = readonly [string, number | undefined, string, number?]

const later = (seconds: string) => fail(503, 'SERVICE_UNAVAILABLE', { 'retry-after': seconds })
const limited = (seconds: string) => fail(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': seconds })
const unavailable = (retryAfter: number) => ['UnavailableError', 503, 'SERVICE_UNAVAILABLE', retryAfter] as const
const timeout = ['NetworkError', undefined, 'TIMEOUT'] as const
const short = { timeoutMs: 800 }
const noWait = { maxWaitMs: 0 }
const body = '{"data":{"id":"a"}}'
const quoting = answer(400, { error: { code: 'INVALID_PARAMETER', message: `q is ${key}` } }, { 'x-echo': key })
const slow: Act = (...all) => void setTimeout(() => good(...all), 60)
const nonsense: Act = (_, { socket }) => void socket!.end(`HTTP/1.1 nonsense ${key}\r\n\r\n`)

/** By name, the acts of the server, how often it is asked, and the error in place of the card. */
const cases: readonly (readonly [name: string, acts: Acts, asked: number, error?: Thrown, options?: object])[] = [
  ['a good response', [good], 1],
  ['a slow response', [slow], 1],
  ['503 once', [busy, good], 2],
  ['503 four times', [busy, busy, busy, busy, good], 5],
  ['503 for ever', [busy], 5, unavailable(0)],
  ['503 with a Retry-After beyond the longest wait', [later('31'), good], 1, unavailable(31)],
  ['503 with pauses that are too long in sum', [later('1')], 2, unavailable(1), { maxWaitMs: 1500 }],
  ['a Retry-After in the past', [later('Wed, 01 Jan 2025 00:00:00 GMT'), good], 2],
  ['500, and then 502 from a proxy', [fail(500, 'INTERNAL_ERROR', soon), answer(502, '<html>', soon), good], 3],
  ['429 with a short Retry-After', [limited('1'), good], 2],
  ['429 with a long Retry-After', [limited('40000'), good], 1, ['QuotaError', 429, 'RATE_LIMIT_EXCEEDED', 40000]],
  ['429 without a Retry-After', [answer(429, 'no'), good], 1, ['QuotaError', 429, 'HTTP_429']],
  ['a connection that breaks', [hangUp, good], 2],
  ['a body that breaks off', [breakOff(body, 9), good], 2],
  ['a body that stalls', [stall(body, 9)], 1, timeout, short],
  ['no response', [ignore], 1, timeout, short],
  ['a body that is not JSON', [answer(200, '<html>')], 1, ['NetworkError', undefined, 'INVALID_RESPONSE']],
  ['a redirect', [answer(302, '', { location: 'http://127.0.0.1:9/' })], 1, ['CardPricesError', 302, 'HTTP_302']],
  ['an error that quotes the key', [quoting], 1, ['InvalidRequestError', 400, 'INVALID_PARAMETER']],
  ['a non-HTTP response that quotes the key', [nonsense], 1, ['NetworkError', undefined, 'CONNECTION_FAILED'], noWait],
]

/** By code or status, in both forms; none is asked for again. */
const refusals: readonly (readonly [number, string, string])[] = [
  [400, 'INVALID_PARAMETER', 'InvalidRequestError'],
  [401, 'MISSING_API_KEY', 'AuthenticationError'],
  [401, 'unauthorized', 'AuthenticationError'],
  [404, 'NOT_FOUND', 'NotFoundError'],
  [404, 'CARD_NOT_FOUND', 'CardNotFoundError'],
  [405, 'METHOD_NOT_ALLOWED', 'InvalidRequestError'],
  [415, 'constructor', 'InvalidRequestError'],
]

describe('The client under failures', { concurrency: false }, () => {
  for (const [name, acts, asked, error, options] of cases) {
    it(`The client ${error === undefined ? 'returns the card' : `throws ${error[0]}`} after ${name}`, async () => {
      server.play(...acts)
      const prices = client(options)
      if (error === undefined) assert.deepEqual(await prices.card('a'), card)
      else {
        const thrown = await thrownBy(() => prices.card('a'))
        const { retryAfter } = thrown
        assert.deepEqual([thrown.name, thrown.status, thrown.code, retryAfter], [...error, undefined].slice(0, 4))
        assert.ok(thrown instanceof CardPricesError)
      }
      assert.equal(server.asked.length, asked)
      for (const { headers, method } of server.asked) assert.deepEqual([headers['x-api-key'], method], [key, 'GET'])
    })
  }

  for (const [status, code, name] of refusals) {
    it(`The client throws ${name} for status ${status} with the code ${code}, without a retry`, async () => {
      for (const form of ['A', 'B']) {
        server.play(fail(status, code, soon, form))
        const thrown = await thrownBy(() => client().card('a'))
        const { message } = thrown
        assert.deepEqual([thrown.name, thrown.status, thrown.code, message], [name, status, code, `sent: ${code}`])
        assert.equal(server.asked.length, 1)
      }
    })
  }

  /** `new URL` takes some for steps up the path, the first is a list's address, and the last would not fit a request. */
  for (const part of ['', '.', '..', '\ud800', 'a\udc00', 'x'.repeat(4000), 'リ'.repeat(1000)]) {
    it(`The client rejects an id or a name that no URL can carry: ${JSON.stringify(part.slice(0, 9))}`, async () => {
      server.play(good)
      const ofCard = ['CardNotFoundError', 404, 'CARD_NOT_FOUND', 'No card has this id.']
      const ofSet = ['NotFoundError', 404, 'NOT_FOUND', 'The game has no such set.']
      const ofGame = ['NotFoundError', 404, 'NOT_FOUND', 'There is no such game.']
      const game = part as 'mtg'
      const calls: readonly (readonly [unknown[], (prices: CardPrices) => Promise<unknown>])[] = [
        [ofCard, (p) => p.card(part)],
        [ofCard, (p) => p.history(part)],
        [ofCard, (p) => p.prices(part)],
        [ofCard, (p) => p.changes(part)],
        [ofSet, (p) => p.set('mtg', part)],
        [ofGame, (p) => p.set(game, 'games')],
        [ofGame, (p) => allOf(p.bulk(game))],
      ]
      for (const [expected, call] of calls) {
        const { name, status, code, message } = await thrownBy(() => call(client()))
        assert.deepEqual([name, status, code, message], expected, String(call))
      }
      assert.equal(server.asked.length, 0)
    })
  }

  it('The client reports that no server listens at the address', async () => {
    const gone = await startScripted()
    await gone.close()
    const prices = new CardPrices({ baseUrl: gone.address, apiKey: key, maxWaitMs: 0 })
    const { message, code } = await thrownBy(() => prices.games())
    assert.deepEqual([code, message], ['CONNECTION_FAILED', `the connection to ${gone.address} failed: ECONNREFUSED`])
  })

  itInAll('The client tries a broken connection again with growing pauses', async () => {
    server.play(hangUp)
    const start = performance.now()
    assert.equal((await thrownBy(() => client().card('a'))).name, 'NetworkError')
    assert.equal(server.asked.length, 5)
    assert.ok(performance.now() - start >= (250 + 500 + 1000 + 2000) / 2, 'it waits between retries')
  })
})

/** By method, a call, and the body that answers it. */
const methods: Readonly<Record<string, readonly [call: (prices: CardPrices) => Promise<unknown>, body: unknown]>> = {
  search: [(p) => p.search({ q: 'a' }), { data: [card], total: 1, limit: 20, offset: 0 }],
  'search.all': [(p) => allOf(p.search.all({ q: 'a' })), { data: [card], total: 1, limit: 100, offset: 0 }],
  suggest: [(p) => p.suggest({ q: 'a' }), { data: [card] }],
  list: [(p) => p.list({ game: 'mtg' }), { data: [card], total: 1, limit: 20, offset: 0 }],
  'list.all': [(p) => allOf(p.list.all({ game: 'mtg' })), { data: [card], total: 1, limit: 100, offset: 0 }],
  card: [(p) => p.card('a'), { data: card }],
  cards: [(p) => p.cards(['a', 'b']), { data: [card] }],
  histories: [(p) => p.histories(['a', 'b'], { period: '1y' }), { data: [{ cardId: 'a', history: [] }] }],
  match: [(p) => p.match([{ name: 'A' }]), { data: [{ match: 'exact', card, candidates: [] }] }],
  history: [(p) => p.history('a', { period: '1y' }), { data: { cardId: 'a', history: [] } }],
  prices: [(p) => p.prices('a', { days: 2 }), { data: { cardId: 'a', history: [] } }],
  changes: [(p) => p.changes('a'), { data: { cardId: 'a', changes: {} } }],
  movers: [(p) => p.movers(), { data: [card], total: 1, limit: 20, offset: 0 }],
  'movers.all': [(p) => allOf(p.movers.all()), { data: [card], total: 1, limit: 100, offset: 0 }],
  sets: [(p) => p.sets(), { data: [card], total: 1, limit: 50, offset: 0 }],
  'sets.all': [(p) => allOf(p.sets.all()), { data: [card], total: 1, limit: 200, offset: 0 }],
  set: [(p) => p.set('mtg', 'a'), { data: card }],
  games: [(p) => p.games(), { data: [card] }],
  bulk: [(p) => allOf(p.bulk('swu')), `${JSON.stringify(card)}\n`],
  changed: [(p) => p.changed('/v1/games'), { data: [card] }],
}

describe('The methods of the client under failures', () => {
  it('Every method of the client has a test', () => {
    const own = Object.getOwnPropertyNames(CardPrices.prototype).filter((name) => {
      const { value } = Object.getOwnPropertyDescriptor(CardPrices.prototype, name)!
      return typeof value === 'function' && name !== 'constructor'
    })
    const listings = Object.keys(client()).flatMap((name) => [name, `${name}.all`])
    assert.deepEqual(Object.keys(methods).sort(), [...own, ...listings].sort())
  })

  for (const [name, [call, body]] of Object.entries(methods)) {
    it(`The client’s method ${name}() retries until it has its result, and throws an error that can’t be retried`, async () => {
      const right = answer(200, body)
      server.play(right)
      const expected = await call(client())
      const slow: Act = (asked, response) => void setTimeout(() => right(asked, response), 5)
      const rounds: readonly Acts[] = [[slow], [busy, right], [hangUp, busy, slow]]
      for (const acts of rounds) {
        server.play(...acts)
        assert.deepEqual(await call(client()), expected)
        assert.equal(server.asked.length, acts.length)
      }
      for (const form of ['A', 'B']) {
        server.play(fail(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '40000' }, form))
        assert.equal((await thrownBy(() => call(client()))).name, 'QuotaError')
        server.play(fail(403, 'PLAN_RESTRICTION', soon, form))
        assert.equal((await thrownBy(() => call(client()))).name, 'PlanError')
        assert.equal(server.asked.length, 1)
      }
      server.play(hangUp)
      assert.equal((await thrownBy(() => call(client({ maxWaitMs: 0 })))).name, 'NetworkError')
      assert.equal(server.asked.length, 1)
    })
  }
})

describe('A signal', () => {
  const reason = new Error('the caller has left')
  const calls = {
    'ends a request without a response': ignore,
    'ends a pause before a retry': fail(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '20' }),
    'ends the reading of a body': stall('{"data":', 8),
  }
  for (const [name, act] of Object.entries(calls)) {
    it(`An abort signal that fires ${name}`, async () => {
      const controller = new AbortController()
      server.play((asked, response) => {
        act(asked, response)
        setTimeout(() => controller.abort(reason), 30)
      })
      await assert.rejects(client().cards(['a', 'b'], { signal: controller.signal }), reason)
      assert.equal(server.asked.length, 1)
    })
  }

  it('A call whose abort signal has already fired sends no request', async () => {
    server.play(good)
    await assert.rejects(client().card('a', { signal: AbortSignal.abort(reason) }), reason)
    assert.equal(server.asked.length, 0)
  })
})

describe('A download', () => {
  const lines = ['{"id":"a"}', '{"id":"b","name":"é"}', '{"id":"c"}'].map((line) => `${line}\n`).join('')
  const read = async (prices = client()) => {
    const ids: string[] = []
    let error: CardPricesError | undefined
    try {
      for await (const { id } of prices.bulk('swu')) ids.push(id)
    } catch (thrown) {
      error = thrown as CardPricesError
    }
    return { ids, error }
  }

  it('A download is read card by card, wherever its pieces end', async () => {
    const bytes = Buffer.from(lines)
    for (let cut = 1; cut < bytes.length; cut += 3) {
      server.play((_, response) => {
        response.writeHead(200)
        response.write(bytes.subarray(0, cut), () => setImmediate(() => response.end(bytes.subarray(cut))))
      })
      assert.deepEqual(await read(), { ids: ['a', 'b', 'c'], error: undefined })
    }
  })

  it('A download is retried until its response begins', async () => {
    server.play(busy, hangUp, answer(200, lines))
    assert.deepEqual((await read()).ids, ['a', 'b', 'c'])
    assert.equal(server.asked.length, 3)
  })

  it('A download that breaks off throws a NetworkError, even at the end of a line', async () => {
    for (const act of [breakOff(lines, 11), breakOff(lines, 20), answer(200, lines.slice(0, 20))]) {
      server.play(act)
      const { ids, error } = await read()
      assert.ok(ids.length <= 1)
      assert.deepEqual([error?.name, error?.code], ['NetworkError', 'CONNECTION_FAILED'])
      assert.equal(server.asked.length, 1)
    }
  })

  it('A download that stalls throws a NetworkError', async () => {
    server.play(stall(lines, 11))
    const { error } = await read(client({ timeoutMs: 80 }))
    assert.deepEqual([error?.name, error?.code], ['NetworkError', 'TIMEOUT'])
  })

  it('The client closes the connection of a download when the reader stops', async () => {
    const closed = new Promise((resolve) =>
      server.play((asked, response) => {
        response.on('close', resolve)
        stall(lines, 11)(asked, response)
      }),
    )
    for await (const { id } of client().bulk('swu')) {
      assert.equal(id, 'a')
      break
    }
    await closed
  })
})

it('The client never shows its key when it is printed or rejects its options', () => {
  const prices = client()
  const shown = inspect(prices, { depth: null, showHidden: true, getters: true }) + JSON.stringify(prices)
  assert.ok(!shown.includes(key), shown)
  for (const options of [
    { baseUrl: key, apiKey: server.address },
    { baseUrl: server.address, apiKey: `${key}\n` },
  ]) {
    assert.throws(
      () => new CardPrices(options),
      (error) => error instanceof TypeError && !inspect(error).includes(key),
    )
  }
})
