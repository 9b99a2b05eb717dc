/** Every method of the client in clients/typescript against the real server, and walks over all pages while versions are published. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { gameSlugs } from '../../build/games/default-games.ts'
import { CardPrices, type CardPricesError, DataChangedError, type Match } from '../../clients/typescript/src/index.ts'
import { openDataset } from '../../src/api/dataset.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { serveSample } from '../description/exchanges.ts'
import { amount, someOf } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { drawBelow, randomFrom } from '../support/random.ts'
import { sampleIds } from '../support/sample.ts'
import { forms, type ServersHere, type State } from '../support/servers-here.ts'
import { send } from '../support/service.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { addVersion } from '../support/versions.ts'
import { answer, startScripted } from './scripted-server.ts'

const here = await serveSample()
after(() => here.close())

type Form = (typeof forms)[number]
type KeyName = keyof ServersHere['keys']

const clientOf = (form: Form, key: KeyName = 'business', state?: State) =>
  new CardPrices({ baseUrl: `${here.address(form, state)}/v1/`, apiKey: here.keys[key], maxWaitMs: 0 })

const sent = (form: Form, path: string, body?: unknown) => {
  const headers = { 'x-api-key': here.keys.business, 'content-type': 'application/json' }
  const request = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
  return send(here.address(form), path, request)
}

const allOf = (items: AsyncIterable<unknown>): Promise<unknown[]> => Readable.from(items).toArray()

const id = 'pokemon-base1-004'

const line = { name: 'Charizard', number: '4/102', set: 'Base Set' }
const odd = 'Nidoran♀ & co'
const nidoran = encodeURIComponent(odd)
const day = '2026-11-19'
const inFull = { view: 'full' } as const

/** By method, a call, and the same request sent by hand. */
const cases: readonly (readonly [
  name: string,
  call: (p: CardPrices) => Promise<unknown>,
  path: string,
  body?: object,
])[] = [
  ['search', (p) => p.search({ q: 'charizard', game: 'pokemon' }), '/v1/search?q=charizard&game=pokemon'],
  [
    'search in full',
    (p) => p.search({ q: odd, view: 'full', min_price: undefined }),
    `/v1/search?q=${nidoran}&view=full`,
  ],
  ['search.all', (p) => allOf(p.search.all({ q: 'e', limit: 20 })), '/v1/search?q=e&limit=100'],
  ['suggest', (p) => p.suggest({ q: 'char', limit: 3 }), '/v1/suggest?q=char&limit=3'],
  ['list', (p) => p.list({ game: 'swu', set: 'sor', sort: '-price' }), '/v1/cards?game=swu&set=sor&sort=-price'],
  ['list.all', (p) => allOf(p.list.all({ game: 'swu' })), '/v1/cards?game=swu&limit=100'],
  ['what changed', (p) => p.list({ game: 'swu', changedSince: day }), `/v1/cards?game=swu&changed_since=${day}`],
  ['card', (p) => p.card(id), `/v1/cards/${id}`],
  ['card with its ids elsewhere', (p) => p.card(id, { view: 'extended' }), `/v1/cards/${id}?view=extended`],
  ['history', (p) => p.history(id, { period: '1y' }), `/v1/cards/${id}/history?period=1y`],
  ['history of the default period', (p) => p.history(id), `/v1/cards/${id}/history`],
  ['prices', (p) => p.prices(id, { days: 2 }), `/v1/cards/${id}/prices?days=2`],
  ['changes', (p) => p.changes(id), `/v1/cards/${id}/changes`],
  ['movers', (p) => p.movers({ period: '30d', direction: 'down' }), '/v1/movers?period=30d&direction=down'],
  ['movers.all', (p) => allOf(p.movers.all({ game: 'swu', limit: 3 })), '/v1/movers?game=swu&limit=100'],
  ['sets', (p) => p.sets(), '/v1/sets'],
  ['sets.all', (p) => allOf(p.sets.all({ limit: 7 })), '/v1/sets?limit=200'],
  ['set', (p) => p.set('pokemon', 'base1'), '/v1/sets/pokemon/base1'],
  ['games', (p) => p.games(), '/v1/games'],
  ['cards', (p) => valuesOf(p.cards([id, 'mtg-unh-023', id])), '/v1/cards/batch', { ids: [id, 'mtg-unh-023'] }],
  ['cards in full', (p) => valuesOf(p.cards(new Set([id]), inFull)), '/v1/cards/batch', { ids: [id], ...inFull }],
  [
    'histories',
    (p) => valuesOf(p.histories([id, 'mtg-unh-023', id], { period: '90d' })),
    '/v1/cards/batch/history',
    { ids: [id, 'mtg-unh-023'], period: '90d' },
  ],
  [
    'histories of the default period',
    (p) => valuesOf(p.histories(new Set([id]))),
    '/v1/cards/batch/history',
    { ids: [id] },
  ],
  ['match', (p) => p.match([line, { name: 'Nobody' }]), '/v1/match', { cards: [line, { name: 'Nobody' }] }],
]
const valuesOf = async (cards: Promise<ReadonlyMap<string, unknown>>) => [...(await cards).values()]

describe('The methods of the client', () => {
  for (const [name, call, path, body] of cases) {
    it(`The client’s method returns what the API sends: ${name}`, async () => {
      for (const form of forms) {
        const prices = clientOf(form)
        const { json } = await sent(form, path, body)
        const isPage = 'total' in json && !name.endsWith('.all')
        assert.deepEqual(await call(prices), isPage ? json : json.data)
        assert.equal(prices.rateLimit?.limit, 100_000)
        const version = `"${here.server(form).data!.version}"`
        assert.equal(prices.version, body === undefined ? version : undefined, 'a POST has no ETag')
      }
    })
  }

  it('The client’s option csv returns the API’s CSV of each list', async () => {
    const prices = clientOf('A')
    const csv = true
    const texts: [Promise<string>, path: string][] = [
      [prices.search({ q: 'char', csv }), '/v1/search?q=char'],
      [prices.list({ game: 'swu', limit: 3, csv }), '/v1/cards?game=swu&limit=3'],
      [prices.movers({ game: 'swu', csv }), '/v1/movers?game=swu'],
      [prices.card(id, { csv }), `/v1/cards/${id}?`],
      [prices.history(id, { period: '7d', csv }), `/v1/cards/${id}/history?period=7d`],
      [prices.prices(id, { days: 3, csv }), `/v1/cards/${id}/prices?days=3`],
    ]
    for (const [text, path] of texts) assert.equal(await text, (await sent('A', `${path}&format=csv`)).body)
  })

  it('The method bulk returns every card of a game', async () => {
    for (const game of someOf(gameSlugs, 2)) {
      const { bytes } = await sent('A', `/v1/bulk/${game}`)
      const lines = gunzipSync(bytes).toString().trimEnd().split('\n')
      const records = lines.map((line) => JSON.parse(line))
      assert.deepEqual(await allOf(clientOf('A').bulk(game)), records)
    }
  })

  it('The method match finds every card by its name, game, set, number and rarity', async () => {
    const prices = clientOf('A')
    const cards = [...(await prices.cards(sampleIds(), { view: 'full' })).values()].map((card) => card!)
    const matches = await prices.match(
      cards.map(({ name, game, setCode, number, rarity }) => ({ name, game, set: setCode, number, rarity })),
    )
    const found = (match: Match) => [match.card, ...match.candidates].map((card) => card?.id)
    const missed = cards.filter(({ id }, i) => !found(matches[i]!).includes(id))
    assert.deepEqual(missed, [])
  })

  it('The method changed tells whether the data changed since the last call or since a given version', async () => {
    const prices = clientOf('A')
    assert.equal(await prices.changed('/v1/games'), true)
    assert.equal(await prices.changed('/v1/games'), false)
    assert.equal(await prices.changed('/v1/sets'), true)
    await prices.card(id)
    assert.equal(await prices.changed(`/v1/cards/${id}`), false)
    assert.equal(await clientOf('B').changed('/v1/games', { since: prices.version }), false)
    assert.equal(await clientOf('B').changed('/v1/games', { since: '"2020-01-01-000000000000"' }), true)
    await assert.rejects(prices.changed('v1/games'), TypeError)
  })
})

describe('The errors of the client', () => {
  const card = (prices: CardPrices) => prices.card(id)
  const refusals: readonly (readonly [
    name: string,
    code: string,
    call: (prices: CardPrices) => Promise<unknown>,
    key?: KeyName,
    state?: State,
  ])[] = [
    ['AuthenticationError', 'ACCOUNT_SUSPENDED', card, 'suspended'],
    ['QuotaError', 'RATE_LIMIT_EXCEEDED', card, 'spent'],
    ['PlanError', 'PLAN_RESTRICTION', (p) => p.history(id), 'free'],
    ['PlanError', 'PLAN_RESTRICTION', (p) => p.histories([id]), 'free'],
    ['PlanError', 'PLAN_RESTRICTION', (p) => allOf(p.bulk('swu')), 'trader'],
    ['CardNotFoundError', 'CARD_NOT_FOUND', (p) => p.card('a/b?c')],
    ['NotFoundError', 'NOT_FOUND', (p) => p.changed('/v1/nowhere')],
    ['InvalidRequestError', 'INVALID_PARAMETER', (p) => p.search({ q: ' ' })],
    ['InvalidRequestError', 'INVALID_BODY', (p) => p.cards([1 as unknown as string])],
    ['UnavailableError', 'SERVICE_UNAVAILABLE', card, 'business', 'empty'],
    ['UnavailableError', 'INTERNAL_ERROR', card, 'business', 'failing'],
  ]
  for (const [name, code, call, key = 'business', state] of refusals) {
    it(`The client throws ${name} for ${code}`, async () => {
      for (const form of forms) {
        const prices = clientOf(form, key, state)
        await assert.rejects(call(prices), (error: CardPricesError) => {
          assert.deepEqual([error.name, error.code], [name, code])
          assert.notEqual(error.message, '')
          return true
        })
      }
    })
  }

  it('The client throws AuthenticationError for a wrong key, with the code of each form', async () => {
    for (const form of forms) {
      const code = form === 'A' ? 'INVALID_API_KEY' : 'unauthorized'
      const prices = new CardPrices({ baseUrl: here.address(form), apiKey: 'cpl_live_nobody' })
      await assert.rejects(prices.games(), { name: 'AuthenticationError', code, status: 401 })
    }
  })
})

const [pages, limit] = [amount(40, 300), 2]
const snapshotAt = (market: number) =>
  snapshotOf({
    'sets/s.ndjson': [aSet],
    'cards/c.ndjson': Array.from({ length: pages * limit }, (_, i) => ({
      ...aCard,
      id: `pokemon-${i}`,
      number: String(i),
      prices: { market },
    })),
  })

describe('A walk over all pages', () => {
  const at = (address: string) => new CardPrices({ baseUrl: address, apiKey: here.keys.business, maxWaitMs: 0 })

  it('A walk over all pages returns one version after at most one restart, or throws a DataChangedError', async (t) => {
    const random = randomFrom(1)
    const server = here.server('A')
    const prices = at(here.address('A'))
    const indexDir = temporaryFolder()
    const open = async (market: number) =>
      openDataset(await loadVersion(indexDir, await addVersion(indexDir, snapshotAt(market))))
    // All cards of a version cost the same.
    const versions = [await open(1), await open(2), await open(3)]
    const sample = server.data!
    server.data = versions[0]!
    t.after(() => {
      server.data = sample
    })
    const seen = { unchanged: 0, restarted: 0, failed: 0 }
    for (let walk = 0; walk < amount(12, 60); walk++) {
      // The pages after which a version is published.
      const published = Array.from({ length: walk % 3 }, () => 1 + drawBelow(random, 2 * pages * limit))
      const restarts: number[] = []
      let markets: (number | null)[] = []
      let items = 0
      const hasOnRestart = walk % 4 !== 3
      const onRestart = hasOnRestart ? () => restarts.push(markets.splice(0).length) : undefined
      try {
        for await (const card of prices.list.all({ game: 'pokemon', limit, onRestart })) {
          markets.push(card.prices.market)
          assert.equal(card.prices.market, markets[0], 'no mixed pages')
          if (published.includes(++items)) server.data = versions[(walk + items) % versions.length]!
        }
        assert.equal(markets.length, pages * limit)
        seen[restarts.length > 0 ? 'restarted' : 'unchanged']++
      } catch (error) {
        assert.ok(error instanceof DataChangedError && error.code === 'PRECONDITION_FAILED')
        seen.failed++
        markets = []
      }
      assert.ok(restarts.length <= (hasOnRestart ? 1 : 0))
    }
    for (const [outcome, count] of Object.entries(seen)) assert.ok(count > 0, `no walk ${outcome}`)
  })

  it('A walk notices a new version if a proxy drops If-Match, and goes on if a proxy weakens ETags', async () => {
    const server = await startScripted()
    const page = (tag: string, offset: number) =>
      answer(200, { data: [{ id: tag }], total: 2, limit: 1, offset }, { etag: tag })
    const walk = () => Readable.from(at(server.address).sets.all({ limit: 1 })).toArray()
    server.play(page('"a"', 0), page('"b"', 1))
    await assert.rejects(walk(), DataChangedError)
    assert.equal(server.asked[1]!.headers['if-match'], '"a"')
    server.play(page('W/"a"', 0), page('"a"', 1))
    assert.deepEqual(await walk(), [{ id: 'W/"a"' }, { id: '"a"' }])
    await server.close()
  })

  it('The client closes an idle connection before the server does', async () => {
    const server = await startScripted()
    let closedAfter = 0
    server.play((asked, response) => {
      const answeredAt = performance.now()
      response.socket!.on('close', () => {
        closedAfter = performance.now() - answeredAt
      })
      return answer(200, { data: [] })(asked, response)
    })
    await at(server.address).games()
    for (let waited = 0; closedAfter === 0 && waited < 9000; waited += 100) await pause(100)
    assert.ok(closedAfter > 0 && closedAfter < 8000, `${closedAfter} ms`)
    await server.close()
  })
})
