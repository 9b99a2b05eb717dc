/** Long lists by the client of clients/typescript: how many requests, how many at a time, in which order, and what is left when they end. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, beforeEach, describe, it } from 'node:test'
import { CardPrices, InvalidRequestError, type MatchLine, QuotaError } from '../../clients/typescript/src/index.ts'
import { amount } from '../support/amount.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'
import { type Act, answer, fail, hangUp, startScripted } from './scripted-server.ts'

const server = await startScripted()
const prices = new CardPrices({ baseUrl: server.address, apiKey: 'cpl_live_nobody' })
beforeEach(() => server.play(api))
after(() => server.close())

const nothing = () => assert.fail('it throws nothing')
const thrown = (error: unknown) => error
const exists = (id: string) => !id.startsWith('no')

/** Answers as the API does, after a turn of the loop, so that requests overlap; what is too large it rejects. */
const api: Act = (asked, response) => {
  const { ids, cards } = JSON.parse(asked.body)
  const items: unknown[] = ids ?? cards
  if (items.length > 20) return fail(400, 'BATCH_TOO_LARGE')(asked, response)
  if (Buffer.byteLength(asked.body) > 16 * 1024) return fail(413, 'PAYLOAD_TOO_LARGE')(asked, response)
  const data =
    ids === undefined
      ? cards.map(({ name }: MatchLine) => ({ match: 'none', card: { name }, candidates: [] }))
      : ids.filter(exists).map((id: string) => ({ id }))
  setImmediate(() => answer(200, { data })(asked, response))
}

/** Plays it for so many requests. */
const apiWithQuota = (requests: number): [Act, ...Act[]] => [
  ...(Array.from({ length: requests }, () => api) as [Act]),
  fail(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '40000' }),
]

describe('The cards of many ids', () => {
  const count = amount(1200, 10_000)
  const ids = Array.from({ length: count }, (_, i) => (i % 7 === 3 ? `no-${i}` : `mtg-${i}`))

  it('The client asks for cards in batches of 20, four at a time, and returns them in order', async () => {
    const found = await prices.cards([...ids, ...ids.slice(0, 50)], { view: 'extended' })
    assert.deepEqual([...found.keys()], ids)
    for (const [id, card] of found) assert.equal(card?.id, exists(id) ? id : undefined)
    assert.equal(server.asked.length, count / 20)
    assert.ok(server.atOnce <= 4 && server.atOnce >= 2, String(server.atOnce))
    for (const { body, path } of server.asked)
      assert.deepEqual([JSON.parse(body).view, path], ['extended', '/v1/cards/batch'])
  })

  it('The client sends no request for no cards', async () => {
    assert.deepEqual(await prices.cards([]), new Map())
    assert.equal(server.asked.length, 0)
  })

  it('The client throws one error if the quota runs out midway, with the cards found so far', async () => {
    const answered = 30
    server.play(...apiWithQuota(answered))
    const error = await prices.cards(ids).then(nothing, thrown)
    assert.ok(error instanceof QuotaError)
    const found = error.found as Map<string, { id: string } | undefined>
    assert.equal(found.size, answered * 20)
    // Batches under way when the first is refused may have been refused before earlier ones were answered.
    const inOrder = ids.filter((id) => found.has(id))
    assert.deepEqual([...found.keys()], inOrder)
    for (const [id, card] of found) assert.equal(card?.id, exists(id) ? id : undefined)
    assert.ok(server.asked.length <= answered + 4, String(server.asked.length))
  })

  it('The client retries each batch whose connection broke', async () => {
    server.play(api, hangUp, api, hangUp, api)
    assert.equal((await prices.cards(ids.slice(0, 200))).size, 200)
    assert.equal(server.asked.length, 12)
  })
})

describe('The lines of a match', () => {
  it('The client splits lines of any length into batches that the API accepts', async () => {
    const random = randomFrom(34)
    for (let round = 0; round < amount(5, 60); round++) {
      const lines = Array.from({ length: drawBelow(random, 90) }, (_, i): MatchLine => {
        const name = `${i} ${drawFrom(random, ['é', 'リ', '"', 'a', '🂡', '\n'])}`.padEnd(
          1 + drawBelow(random, 195),
          drawFrom(random, ['ザ', 'x', '\\']),
        )
        return random() < 0.3 ? { name, set: 'ー'.repeat(drawBelow(random, 400)) } : { name }
      })
      server.play(api)
      const matches = await prices.match(lines)
      assert.equal(matches.length, lines.length)
      for (const [i, { name }] of lines.entries()) assert.equal(matches[i]!.card?.name, name)
      const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(JSON.stringify(line)) + 1, 0)
      const requestsMax = Math.ceil(lines.length / 20) + Math.ceil(bytes / 8192)
      assert.ok(server.asked.length <= requestsMax, `${server.asked.length} requests, at most ${requestsMax}`)
    }
  })

  it('A line too long for any batch is left to the API to reject', async () => {
    const error = await prices.match([{ name: 'a' }, { name: 'b', set: 'x'.repeat(20_000) }]).then(nothing, thrown)
    assert.ok(error instanceof InvalidRequestError)
    assert.equal(error.code, 'PAYLOAD_TOO_LARGE')
  })

  it('The client throws one error if the quota runs out midway, with the lines matched so far', async () => {
    server.play(...apiWithQuota(3))
    const lines = Array.from({ length: 200 }, (_, i) => ({ name: `card ${i}` }))
    const error = await prices.match(lines).then(nothing, thrown)
    assert.ok(error instanceof QuotaError)
    const found = error.found as ({ card: object | null } | undefined)[]
    assert.equal(found.length, lines.length)
    assert.equal(found.filter(Boolean).length, 60)
    for (const [i, match] of found.entries()) if (match !== undefined) assert.deepEqual(match.card, lines[i])
  })
})

describe('A walk over all pages', () => {
  const itemsOf =
    (count: number): Act =>
    (asked, response) => {
      const query = new URL(asked.path, 'http://a').searchParams
      const [limit, offset] = [Math.min(100, Number(query.get('limit'))), Number(query.get('offset'))]
      const data = Array.from({ length: count }, (_, i) => ({ id: `card-${i}` })).slice(offset, offset + limit)
      answer(200, { data, total: count, limit, offset })(asked, response)
    }

  for (const [count, given, requests] of [
    [0, {}, 1],
    [100, {}, 1],
    [101, {}, 2],
    [250, { limit: 40 }, 7],
    [250, { limit: 1000, offset: 30 }, 3],
  ] as const) {
    it(`A walk over ${count} items with ${JSON.stringify(given)} returns every item from the offset on`, async () => {
      server.play(itemsOf(count))
      const items = await Readable.from(prices.search.all({ q: 'a b', game: 'mtg', ...given })).toArray()
      const offset = 'offset' in given ? given.offset : 0
      const wanted = Array.from({ length: count - offset }, (_, i) => ({ id: `card-${i + offset}` }))
      assert.deepEqual(items, wanted)
      assert.equal(server.asked.length, requests)
      assert.match(server.asked[0]!.path, /^\/v1\/search\?.*\bq=a\+b&game=mtg/)
    })
  }

  it('A walk over all pages that is stopped early requests no further page', async () => {
    server.play(itemsOf(500))
    for await (const _ of prices.list.all({ game: 'mtg' })) break
    assert.equal(server.asked.length, 1)
  })
})
