/** Every method of the client in clients/typescript against the real server, beside the same requests sent by hand. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { CardPrices, type CardPricesError, type Match } from '../../clients/typescript/src/index.ts'
import type { Operation } from '../../src/api/routes.ts'
import { gameSlugs } from '../../src/games.ts'
import { serveSample } from '../description/exchanges.ts'
import { sampleIds } from '../fuzz/known.ts'
import { someOf } from '../support/amount.ts'
import { projectDir } from '../support/command.ts'
import { forms, type ServersHere } from '../support/servers-here.ts'
import { send } from '../support/service.ts'
import { typesFile, typesOf } from './description-types.ts'

let here: ServersHere
before(async () => {
  here = await serveSample()
})
after(() => here.close())

type Form = (typeof forms)[number]
type KeyName = keyof ServersHere['keys']

const clientOf = (form: Form, key: KeyName = 'business') =>
  new CardPrices({ baseUrl: `${here.address(form)}/v1/`, apiKey: here.keys[key], maxWaitMs: 0 })

async function sent(form: Form, path: string, body?: unknown) {
  const headers = { 'x-api-key': here.keys.business, 'content-type': 'application/json' }
  const { json } = await send(
    here.address(form),
    path,
    body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
  )
  return json
}

async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

const id = 'pokemon-base1-004'

/** A call, and what the client makes of the same request's body. */
interface Case {
  readonly of: Operation | 'getSet' | 'matchCards' | 'getCardChanges' | 'listMovers'
  readonly name?: string
  readonly call: (prices: CardPrices) => Promise<unknown>
  readonly request: readonly [path: string, body?: unknown]
  readonly read?: (json: { data: unknown[] }) => unknown
}

const dataOf = ({ data }: { data: unknown }) => data
const whole = (page: unknown) => page
const byId =
  (ids: readonly string[]) =>
  ({ data }: { data: unknown[] }) =>
    new Map(ids.map((id) => [id, data.find((card) => (card as { id: string }).id === id)]))

const cases: readonly Case[] = [
  {
    of: 'searchCards',
    call: (p) => p.search({ q: 'charizard', game: 'pokemon', limit: 2 }),
    request: ['/v1/search?q=charizard&game=pokemon&limit=2'],
    read: whole,
  },
  {
    of: 'searchCards',
    name: 'search in full',
    call: (p) => p.search({ q: 'Nidoran♀ & co', view: 'full', min_price: undefined }),
    request: [`/v1/search?q=${encodeURIComponent('Nidoran♀ & co')}&view=full`],
    read: whole,
  },
  {
    of: 'searchCards',
    name: 'search.all',
    call: (p) => allOf(p.search.all({ q: 'e', limit: 20 })),
    request: ['/v1/search?q=e&limit=100'],
  },
  { of: 'suggestNames', call: (p) => p.suggest({ q: 'char', limit: 3 }), request: ['/v1/suggest?q=char&limit=3'] },
  {
    of: 'listCards',
    call: (p) => p.list({ game: 'pokemon', set: 'base1', sort: '-price' }),
    request: ['/v1/cards?game=pokemon&set=base1&sort=-price'],
    read: whole,
  },
  {
    of: 'listCards',
    name: 'list.all',
    call: (p) => allOf(p.list.all({ game: 'swu' })),
    request: ['/v1/cards?game=swu&limit=100'],
  },
  { of: 'getCard', call: (p) => p.card(id), request: [`/v1/cards/${id}`] },
  {
    of: 'getCardHistory',
    call: (p) => p.history(id, { period: '1y' }),
    request: [`/v1/cards/${id}/history?period=1y`],
  },
  {
    of: 'getCardHistory',
    name: 'history of the default period',
    call: (p) => p.history(id),
    request: [`/v1/cards/${id}/history`],
  },
  { of: 'getCardPrices', call: (p) => p.prices(id, { days: 2 }), request: [`/v1/cards/${id}/prices?days=2`] },
  { of: 'listSets', call: (p) => p.sets(), request: ['/v1/sets'], read: whole },
  { of: 'listSets', name: 'sets.all', call: (p) => allOf(p.sets.all({ limit: 7 })), request: ['/v1/sets?limit=200'] },
  { of: 'listGames', call: (p) => p.games(), request: ['/v1/games'] },
  {
    of: 'batchCards',
    call: (p) => p.cards([id, 'nobody', 'mtg-unh-023', id]),
    request: ['/v1/cards/batch', { ids: [id, 'mtg-unh-023'] }],
    read: byId([id, 'nobody', 'mtg-unh-023']),
  },
  {
    of: 'batchCards',
    name: 'cards in full',
    call: (p) => p.cards(new Set([id]), { view: 'full' }),
    request: ['/v1/cards/batch', { ids: [id], view: 'full' }],
    read: byId([id]),
  },
  { of: 'getSet', call: (p) => p.set('pokemon', 'base1'), request: ['/v1/sets/pokemon/base1'] },
  {
    of: 'getSet',
    name: 'card with its ids elsewhere',
    call: (p) => p.card(id, { view: 'extended' }),
    request: [`/v1/cards/${id}?view=extended`],
  },
  {
    of: 'matchCards',
    call: (p) => p.match([{ name: 'Charizard', number: '4/102', set: 'Base Set' }, { name: 'Nobody' }]),
    request: ['/v1/match', { cards: [{ name: 'Charizard', number: '4/102', set: 'Base Set' }, { name: 'Nobody' }] }],
  },
  { of: 'getCardChanges', call: (p) => p.changes(id), request: [`/v1/cards/${id}/changes`] },
  {
    of: 'listMovers',
    call: (p) => p.movers({ game: 'pokemon', period: '30d', direction: 'down', limit: 3 }),
    request: ['/v1/movers?game=pokemon&period=30d&direction=down&limit=3'],
    read: whole,
  },
  {
    of: 'listMovers',
    name: 'what changed since a day',
    call: (p) => p.list({ game: 'pokemon', changedSince: '2026-11-19', limit: 3 }),
    request: ['/v1/cards?game=pokemon&changed_since=2026-11-19&limit=3'],
    read: whole,
  },
  {
    of: 'listMovers',
    name: 'movers.all',
    call: (p) => allOf(p.movers.all({ game: 'swu', limit: 3 })),
    request: ['/v1/movers?game=swu&limit=100'],
  },
]

describe('a method', () => {
  for (const { of, name = of, call, request, read = dataOf } of cases) {
    it(name, async () => {
      for (const form of forms) {
        const prices = clientOf(form)
        assert.deepEqual(await call(prices), read(await sent(form, ...request)))
        assert.equal(prices.rateLimit?.limit, 100_000)
        const version = `"${here.server(form).data!.version}"`
        assert.equal(prices.version, request[1] === undefined ? version : undefined, 'a POST has no ETag')
      }
    })
  }

  it('csv', async () => {
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
    for (const [text, path] of texts) {
      const headers = { 'x-api-key': here.keys.business }
      assert.equal(await text, (await send(here.address('A'), `${path}&format=csv`, { headers })).body)
    }
  })

  it('bulk', async () => {
    for (const game of someOf(gameSlugs, 2)) {
      const headers = { 'x-api-key': here.keys.business }
      const { bytes } = await send(here.address('A'), `/v1/bulk/${game}`, { headers })
      const lines = gunzipSync(bytes).toString().trimEnd().split('\n')
      assert.deepEqual(
        await allOf(clientOf('A').bulk(game)),
        lines.map((line) => JSON.parse(line)),
      )
    }
  })

  it('cards of the whole sample', async () => {
    const prices = clientOf('A')
    const ids = sampleIds()
    const found = await prices.cards(ids)
    assert.deepEqual([...found.keys()], ids)
    assert.deepEqual(
      [...found].filter(([id, card]) => card?.id !== id),
      [],
    )
  })

  it('match of every card’s own line', async () => {
    const prices = clientOf('A')
    const cards = [...(await prices.cards(sampleIds(), { view: 'full' })).values()].map((card) => card!)
    const matches = await prices.match(
      cards.map(({ name, game, setCode, number, rarity }) => ({ name, game, set: setCode, number, rarity })),
    )
    const found = (match: Match) => [match.card, ...match.candidates].map((card) => card?.id)
    assert.deepEqual(
      cards.filter(({ id }, i) => !found(matches[i]!).includes(id)),
      [],
    )
  })

  it('changed, by path, and since a version kept', async () => {
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

describe('an error', () => {
  interface Refusal {
    readonly name: string
    readonly code: string
    readonly call: (prices: CardPrices) => Promise<unknown>
    readonly key?: KeyName
    readonly state?: 'empty' | 'failing'
  }
  const card = (prices: CardPrices) => prices.card(id)
  const refusals: readonly Refusal[] = [
    { name: 'AuthenticationError', code: 'ACCOUNT_SUSPENDED', call: card, key: 'suspended' },
    { name: 'QuotaError', code: 'RATE_LIMIT_EXCEEDED', call: card, key: 'spent' },
    { name: 'PlanError', code: 'PLAN_RESTRICTION', call: (p) => p.history(id), key: 'free' },
    { name: 'PlanError', code: 'PLAN_RESTRICTION', call: (p) => allOf(p.bulk('swu')), key: 'trader' },
    { name: 'CardNotFoundError', code: 'CARD_NOT_FOUND', call: (p) => p.card('a/b?c') },
    { name: 'NotFoundError', code: 'NOT_FOUND', call: (p) => p.changed('/v1/nowhere') },
    { name: 'InvalidRequestError', code: 'INVALID_PARAMETER', call: (p) => p.search({ q: ' ' }) },
    { name: 'InvalidRequestError', code: 'INVALID_BODY', call: (p) => p.cards([1 as unknown as string]) },
    { name: 'UnavailableError', code: 'SERVICE_UNAVAILABLE', call: card, state: 'empty' },
    { name: 'UnavailableError', code: 'INTERNAL_ERROR', call: card, state: 'failing' },
  ]
  for (const { name, code, call, key = 'business', state } of refusals) {
    it(`${name} of ${code}`, async () => {
      for (const form of forms) {
        const prices = new CardPrices({ baseUrl: here.address(form, state), apiKey: here.keys[key], maxWaitMs: 0 })
        await assert.rejects(call(prices), (error: CardPricesError) => {
          assert.deepEqual([error.name, error.code], [name, code])
          assert.notEqual(error.message, '')
          return true
        })
      }
    })
  }

  it('AuthenticationError of a wrong key, by the code of each form', async () => {
    for (const [form, code] of [
      ['A', 'INVALID_API_KEY'],
      ['B', 'unauthorized'],
    ] as const) {
      const prices = new CardPrices({ baseUrl: here.address(form), apiKey: 'cpl_live_nobody' })
      await assert.rejects(prices.games(), { name: 'AuthenticationError', code, status: 401 })
    }
  })
})

describe('the types', () => {
  it('are those that the server describes', async () => {
    const { json } = await send(here.address('A'), '/openapi.json')
    const made = await typesOf(json)
    assert.ok(readFileSync(join(projectDir, typesFile), 'utf8') === made, 'npm run client-types writes them anew')
  })
})
