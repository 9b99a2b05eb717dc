/** The form of the client packages of TCG Price Lookup, over HTTP: its shapes, and what it says of each card. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as v from 'valibot'
import { queryCharsMax } from '../../src/limits.ts'
import { tcglookupRoutes } from '../../src/tcglookup/routes.ts'
import { idsMax, shapes } from '../../src/tcglookup/shapes.ts'
import { remainingOf, serveForms } from '../api/served-forms.ts'
import { amount } from '../support/amount.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'
import { sampleIds, sampleSnapshot } from '../support/sample.ts'
import type { Reply } from '../support/service.ts'
import { snapshotOf } from '../support/snapshot.ts'

const root = '/tcglookup/v1'
// biome-ignore lint/suspicious/noExplicitAny: cards of two forms are compared field by field
type Json = any
type Shape = keyof typeof shapes

/** The body, which must have the shape and no other field. */
function inShape({ status, json, body, headers }: Reply, shape: Shape): Json {
  assert.equal(status, 200, body)
  assert.equal(headers['content-type'], 'application/json')
  const { success, issues } = v.safeParse(shapes[shape], json)
  assert.ok(success, `${JSON.stringify(issues?.[0]?.path)} of ${body.slice(0, 300)}`)
  return json
}

const slugOf = (game: string) => (game === 'pokemonjp' ? 'pokemon-jp' : game)

/** The card that `/v1` tells of in its extended view, as this form has to say it. */
function expectedCard(card: Json, gameNames: ReadonlyMap<string, string>): Json {
  const { near_mint = card.prices.market, ...others } = card.prices.conditions
  const { low, mid, high } = card.prices
  const isPriced = [near_mint, low, mid, high].some((price) => typeof price === 'number')
  const raw: Json = isPriced ? { near_mint: { tcgplayer: { market: near_mint, low, mid, high } } } : {}
  for (const [condition, market] of Object.entries(others)) {
    raw[condition] = { tcgplayer: { market, low: null, mid: null, high: null } }
  }
  const grades = Object.entries(card.prices.graded)
  const graded: Json = {}
  for (const [key, avg_30d] of grades) {
    const [, grader, grade] = /^([a-z]+)_(.+)$/.exec(key)!
    graded[grader!] = {
      ...graded[grader!],
      [grade!.replace('_', '.')]: { ebay: { avg_1d: null, avg_7d: null, avg_30d } },
    }
  }
  const slug = card.setCode.toLowerCase()
  return {
    id: card.id,
    tcgplayer_id: card.tcgplayerId,
    name: card.name,
    number: card.number,
    rarity: card.rarity,
    variant: card.printing,
    image_url: card.image,
    updated_at: card.updatedAt ?? '2026-11-20',
    set: { id: `${slugOf(card.game)}-${slug}`, slug, name: card.set },
    game: { id: slugOf(card.game), slug: slugOf(card.game), name: gameNames.get(card.game) },
    prices: grades.length === 0 ? { raw } : { raw, graded },
  }
}

type ErrorCase = [
  title: string,
  path: string,
  status: number,
  message: RegExp,
  key?: 'free' | 'spent' | 'suspended' | '',
]

const asFound = (card: Json) => ({ ...card, last_price_update: card.updated_at })

describe('The sample, as other client packages read it', () => {
  const { ask, here } = serve(() => sampleSnapshot)
  const random = randomFrom('tcglookup')

  it('A card of /tcglookup has the prices of /v1, at its own address and in a search by ids', async () => {
    const { json } = await ask('/v1/games')
    const names = new Map<string, string>(json.data.map(({ id, name }: Json) => [id, name]))
    const ids = sampleIds()
    const byGame = [...names.keys()].map((slug) => ids.filter((id) => id.startsWith(`${slug}-`)))
    assert.equal(byGame.length, 8)
    const drawn = Array.from({ length: amount(60, 500) }, (_, i) => drawFrom(random, byGame[i % byGame.length]!))
    const seen = { graded: 0, conditions: 0 }
    for (const id of drawn) {
      const ours = (await ask(`/v1/cards/${id}?view=extended`)).json.data
      const card = expectedCard(ours, names)
      assert.deepEqual(inShape(await ask(`${root}/cards/${id}`), 'card'), card)
      const found = inShape(await ask(`${root}/cards/search?ids=${id},nope,${id}`), 'cards')
      assert.deepEqual(found, { data: [asFound(card), asFound(card)], total: 2, limit: idsMax, offset: 0 })
      if (card.prices.graded !== undefined) seen.graded++
      if (Object.keys(card.prices.raw).length > 1) seen.conditions++
    }
    for (const [kind, count] of Object.entries(seen)) assert.ok(count > 0, `no drawn card is ${kind}`)
  })

  it('A search of /tcglookup has the cards, the order and the total of /v1/search', async () => {
    for (const query of [
      'q=charizard',
      'q=dragon&game=yugioh&limit=3',
      'q=a&limit=100&offset=7',
      'q=pikachu&limit=1&offset=1',
    ]) {
      const ours = await ask(`/v1/search?${query}`)
      const { data, ...rest } = inShape(await ask(`${root}/cards/search?${query}`), 'cards')
      const { data: wanted, ...counts } = ours.json
      assert.deepEqual([data.map(({ id }: Json) => id), rest], [wanted.map(({ id }: Json) => id), counts])
    }
  })

  it('A search of /tcglookup without a name lists the cards of a game or a set as /v1/cards does', async () => {
    for (const query of ['game=mtg&limit=100', 'set=base1', 'game=lorcana&offset=3&limit=4']) {
      const ours = await ask(`/v1/cards?${query}`)
      const { data, total } = inShape(await ask(`${root}/cards/search?${query}&q=+`), 'cards')
      assert.deepEqual(
        [data.map(({ id }: Json) => id), total],
        [ours.json.data.map(({ id }: Json) => id), ours.json.total],
      )
    }
    const all = inShape(await ask(`${root}/cards/search?ids=&q=`), 'cards')
    assert.deepEqual([all.total, all.limit, all.offset, all.data.length], [sampleIds().length, 20, 0, 20])
  })

  it('A search of /tcglookup finds Japanese Pokémon cards by both slugs of their game', async () => {
    const [one, two] = [
      await ask(`${root}/cards/search?game=pokemon-jp`),
      await ask(`${root}/cards/search?game=pokemonjp`),
    ]
    assert.ok(one!.json.total > 0)
    assert.deepEqual(inShape(one!, 'cards'), inShape(two!, 'cards'))
  })

  it('A history of /tcglookup has the days and prices of /v1, one row a day', async () => {
    for (const id of ['pokemon-base1-004', drawFrom(random, sampleIds())]) {
      for (const period of ['', '7d', '30d', '90d', '1y']) {
        const query = period === '' ? '' : `?period=${period}`
        const ours = await ask(`/v1/cards/${id}/history${query}`)
        const { data, period: said } = inShape(await ask(`${root}/cards/${id}/history${query}`), 'history')
        assert.equal(said, period || '30d')
        const days = data.map(({ date, prices }: Json) => {
          assert.equal(prices.length, 1)
          const { price_market: market, price_low: low, price_high: high } = prices[0]
          return { date, market, low, high }
        })
        assert.deepEqual(days, ours.json.data.history)
      }
    }
  })

  it('The sets and games of /tcglookup are those of /v1, page by page', async () => {
    const sets = (await ask('/v1/sets?limit=200')).json
    const listed = inShape(await ask(`${root}/sets?limit=200`), 'sets')
    assert.equal(listed.total, sets.total)
    assert.deepEqual(
      listed.data,
      sets.data.map(({ code, name, game, cardCount, releaseDate }: Json) => {
        const slug = code.toLowerCase()
        return {
          id: `${slugOf(game)}-${slug}`,
          slug,
          name,
          game: slugOf(game),
          count: cardCount,
          released_at: releaseDate,
        }
      }),
    )
    const japanese = inShape(await ask(`${root}/sets?game=pokemon-jp`), 'sets')
    assert.ok(japanese.total > 0)
    assert.ok(japanese.data.every(({ game }: Json) => game === 'pokemon-jp'))
    const games = inShape(await ask(`${root}/games`), 'games')
    assert.deepEqual([games.total, games.limit, games.offset], [8, 50, 0])
    assert.deepEqual(inShape(await ask(`${root}/games?limit=2&offset=3`), 'games').data, games.data.slice(3, 5))
    assert.equal(
      games.data.reduce((sum: number, { count }: Json) => sum + count, 0),
      sampleIds().length,
    )
  })

  it('A search of /tcglookup finds each set by its code, slug, id, name and name with hyphens', async () => {
    const { data } = (await ask(`${root}/sets?limit=200`)).json
    for (const { id, slug, name, game } of data) {
      const hyphens = name
        .replace(/^[A-Z0-9&-]{1,8}(: | - )/, '')
        .replaceAll(/['’]/g, '')
        .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      for (const set of [slug, slug.toUpperCase(), id, name, hyphens.replace(/^-|-$/g, '').toLowerCase()]) {
        const found = await ask(`${root}/cards/search?game=${game}&limit=1&set=${encodeURIComponent(set)}`)
        assert.equal(found.json.data[0]?.set.id, id, `${set} of ${id}`)
      }
    }
    assert.equal((await ask(`${root}/cards/search?set=mtg-base1`)).json.total, 0)
    assert.equal((await ask(`${root}/cards/search?game=mtg&set=pokemon-base1`)).json.total, 0)
  })

  const one = `${root}/cards/pokemon-base1-004`
  const errors: readonly ErrorCase[] = [
    ['without a key', one, 401, /API key is needed/, ''],
    ['of a suspended account', one, 403, /suspended/, 'suspended'],
    ['beyond the quota', one, 429, /used up/, 'spent'],
    ['for a history on the plan Free', `${one}/history`, 403, /Trader plan/, 'free'],
    ['for an unknown card', `${root}/cards/nope`, 404, /No card/],
    ['for the history of an unknown card', `${root}/cards/nope/history`, 404, /No card/],
    ['for an id that is no UTF-8', `${root}/cards/%ff`, 400, /id must be/],
    ['for an unknown address', `${root}/nope`, 404, /no such endpoint/],
    ['for only the first part of its address', '/tcglookup', 404, /no such endpoint/],
    ...['limit=0', 'limit=101', 'limit=x', 'offset=-1', 'game=nope', `q=${'x'.repeat(queryCharsMax + 1)}`].map(
      (query) =>
        [`for ${query.slice(0, 20)}`, `${root}/cards/search?${query}`, 400, / must be /] as [
          string,
          string,
          number,
          RegExp,
        ],
    ),
    [`for ${idsMax + 1} ids`, `${root}/cards/search?ids=${'a,'.repeat(idsMax)}a`, 400, /ids must be at most/],
    ['for 201 sets', `${root}/sets?limit=201`, 400, /limit must be/],
    ['for 0 games', `${root}/games?limit=0`, 400, /limit must be/],
    ['for an unknown period', `${one}/history?period=all`, 400, /period must be one of 7d, 30d, 90d, 1y/],
  ]
  for (const [title, path, status, message, key] of errors) {
    it(`A request to /tcglookup ${title} gets ${status} and a message`, async () => {
      const asker = key === undefined ? {} : { key: key === '' ? '' : here().keys[key] }
      const reply = await ask(path, {}, asker)
      assert.equal(reply.status, status, reply.body)
      assert.ok(v.is(shapes.error, reply.json), reply.body)
      assert.match(reply.json.error, message)
      assert.equal('retry-after' in reply.headers, status === 429)
      assert.ok('x-ratelimit-limit' in reply.headers)
    })
  }

  it('A search of /tcglookup by ids ignores its other parameters', async () => {
    const { status, json } = await ask(`${root}/cards/search?ids=pokemon-base1-004&limit=0&game=nope&q=%zz`)
    assert.deepEqual([status, json.total], [200, 1])
  })

  it('A wrong method at /tcglookup gets 405 with the methods that the address has', async () => {
    const { status, headers, json } = await ask(`${root}/games`, { method: 'POST' })
    assert.deepEqual([status, headers['allow'], typeof json.error], [405, 'GET, HEAD, OPTIONS', 'string'])
  })

  it('HEAD of /tcglookup has the body’s length and counts one request, a known tag gets 304, and a wrong one 412', async () => {
    for (const { path } of tcglookupRoutes) {
      const address = path.replace('{id}', 'pokemon-base1-004')
      const get = await ask(address)
      const head = await ask(address, { method: 'HEAD' })
      assert.deepEqual([head.status, head.headers['content-length'], head.body], [200, String(get.bytes.length), ''])
      assert.equal(remainingOf(head), remainingOf(get) - 1)
      const { etag } = get.headers
      assert.equal((await ask(address, { headers: { 'if-none-match': etag! } })).status, 304)
      const changed = await ask(address, { headers: { 'if-match': '"other"' } })
      assert.deepEqual([changed.status, typeof changed.json.error], [412, 'string'])
    }
  })

  it('A server without data answers /tcglookup with 503, and one that fails with 500, both with a message', async () => {
    for (const { path } of tcglookupRoutes) {
      const address = path.replace('{id}', 'pokemon-base1-004')
      for (const [state, status] of [
        ['empty', 503],
        ['failing', 500],
      ] as const) {
        const reply = await ask(address, {}, { state })
        assert.equal(reply.status, status)
        assert.ok(v.is(shapes.error, reply.json), reply.body)
      }
    }
  })

  it('Random queries of /tcglookup get 200 in the right shape, or 400 with a message', async () => {
    const values = [
      '',
      '1',
      '20',
      '0',
      '-1',
      'x',
      '%zz',
      'pokemon',
      'pokemon-jp',
      'base1',
      'charizard',
      'constructor',
      '__proto__',
    ]
    const names = ['q', 'ids', 'game', 'set', 'limit', 'offset', 'page', 'constructor', '%71']
    for (let i = 0; i < amount(100, 5000); i++) {
      const parts = Array.from(
        { length: drawBelow(random, 5) },
        () => `${drawFrom(random, names)}=${drawFrom(random, values)}`,
      )
      for (const [path, shape] of [
        ['cards/search', 'cards'],
        ['sets', 'sets'],
        ['games', 'games'],
      ] as const) {
        const reply = await ask(`${root}/${path}?${parts.join('&')}`)
        if (reply.status === 200) inShape(reply, shape)
        else assert.ok(reply.status === 400 && v.is(shapes.error, reply.json), `${parts.join('&')}: ${reply.body}`)
      }
    }
  })
})

describe('Prices in euros', () => {
  const { ask } = serve(() =>
    snapshotOf({
      'about.json': '{"currency":"EUR"}',
      'sets/a.ndjson': [{ game: 'pokemon', code: 'base1', name: 'Base Set', releaseDate: null }],
      'cards/a.ndjson': [{ id: 'pokemon-base1-4', game: 'pokemon', name: 'Charizard', setCode: 'base1', number: null }],
    }),
  )

  it('Every address of /tcglookup answers 404 and names /v1 if prices are in euros, once the key is checked', async () => {
    for (const { path } of tcglookupRoutes) {
      const address = path.replace('{id}', 'pokemon-base1-4')
      const { status, json } = await ask(`${address}?limit=0&period=x`)
      assert.equal(status, 404)
      assert.match(json.error, /dollars only; use \/v1/)
      assert.equal((await ask(address, {}, { key: 'wrong' })).status, 401)
    }
  })
})

describe('Data without any date', () => {
  const { ask } = serve(() =>
    snapshotOf({
      'sets/a.ndjson': [{ game: 'pokemonjp', code: 'SV2a', name: 'ポケモンカード151', releaseDate: null }],
      'cards/a.ndjson': [
        {
          id: 'pokemonjp-sv2a-4',
          game: 'pokemonjp',
          name: 'ヒトカゲ',
          setCode: 'SV2a',
          number: null,
          printing: 'Reverse Holofoil',
          tcgplayerId: 7,
          prices: { graded: { psa_10: 149, bgs_9_5: 40.5 } },
        },
      ],
    }),
  )

  it('A card of /tcglookup without any date has the day 1970-01-01, its printing, product and set, and graded prices', async () => {
    const card = inShape(await ask(`${root}/cards/pokemonjp-sv2a-4`), 'card')
    assert.deepEqual([card.updated_at, card.variant, card.tcgplayer_id], ['1970-01-01', 'Reverse Holofoil', 7])
    assert.deepEqual(card.set, { id: 'pokemon-jp-sv2a', slug: 'sv2a', name: 'ポケモンカード151' })
    const of = (avg_30d: number) => ({ ebay: { avg_1d: null, avg_7d: null, avg_30d } })
    assert.deepEqual(card.prices, { raw: {}, graded: { psa: { 10: of(149) }, bgs: { '9.5': of(40.5) } } })
    for (const set of ['pokemon-jp-sv2a', 'pokemonjp-sv2a', 'sv2a', 'SV2a', 'ポケモンカード151']) {
      const found = inShape(await ask(`${root}/cards/search?set=${encodeURIComponent(set)}`), 'cards')
      assert.equal(found.total, 1, set)
      assert.equal(found.data[0].last_price_update, '1970-01-01')
    }
    assert.equal(inShape(await ask(`${root}/sets`), 'sets').data[0].released_at, null)
  })
})

/** The servers over a snapshot, which run during the tests of the `describe` that calls this. */
function serve(snapshot: () => string) {
  const served = serveForms(snapshot)
  return { ask: served.ask, here: () => served.here }
}
