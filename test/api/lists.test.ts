/** Lists of cards, narrowed and sorted searches, views and suggestions, line by line, over real HTTP. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { amount } from '../support/amount.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { idsIn, serveForms } from './served-forms.ts'

const sets = [
  { game: 'pokemon', code: 'neo', name: 'Neo Genesis', releaseDate: '2000-12-16' },
  { game: 'pokemon', code: 'base1', name: 'Base Set', releaseDate: '1999-01-09' },
  { game: 'mtg', code: 'base1', name: 'Base Set', releaseDate: '1999-01-09' },
  { game: 'mtg', code: 'lea', name: 'Limited Edition Alpha', releaseDate: '1993-08-05' },
  { game: 'fab', code: 'wtr', name: 'Welcome to Rathe', releaseDate: null },
]
/** Cards that differ in every filter and order of lists: key, game, set, name, number, market price, product. In the order of equals. */
const rows: readonly [string, string, string, string, string | null, number | null, number?][] = [
  ['a', 'pokemon', 'neo', 'Charizard', '4/111', 20, 7],
  ['b', 'pokemon', 'neo', 'Dark Charizard', '004a', 0.1],
  ['c', 'pokemon', 'neo', 'Pikachu', 'SV001', null],
  ['d', 'mtg', 'base1', 'Charizard Hunter', '004', 5],
  ['e', 'pokemon', 'base1', 'Charizard', '004', 350.13, 42_382],
  ['f', 'pokemon', 'base1', 'Pokémon Flute', '4', 0, 42_382],
  ['g', 'pokemon', 'base1', 'Charizard', '40', 20, Number.MAX_SAFE_INTEGER],
  ['h', 'pokemon', 'base1', 'Unknown', null, null, 42_382],
  ['i', 'mtg', 'lea', 'Forest', '4', 5.01],
  ['j', 'mtg', 'lea', '_____', 'SV1', 10_000_000],
  ['k', 'fab', 'wtr', 'Ægis', 'sv001', 1],
]
const cards = rows.map(([key, game, setCode, name, number, market, tcgplayerId = null], i) => ({
  id: `${game}-${key}`,
  game,
  setCode,
  name,
  number,
  tcgplayerId,
  rarity: i % 2 === 0 ? 'Rare' : null,
  prices: { market, low: market, conditions: { near_mint: market, damaged: 0.5 }, graded: { psa_10: 9 } },
}))
/** By the key of its row. */
const idOf = (key: string) => cards.find(({ id }) => id.endsWith(`-${key}`))!.id

/** Names of which a caller can't be suggested all. */
const many = Array.from({ length: 21 }, (_, i) => ({
  ...cards.at(-1)!,
  id: `yugioh-${i}`,
  game: 'yugioh',
  name: `Zz ${i}`,
}))
const files = {
  'sets/s.ndjson': [...sets, { ...sets[4]!, game: 'yugioh' }],
  'cards/c.ndjson': [...cards.toReversed(), ...many],
}
const { ask, post } = serveForms(() => snapshotOf(files))

/** A request, and the keys of the cards in its response, in order. */
const lists: readonly (readonly [query: string, keys: string])[] = [
  ['cards?game=pokemon', 'abcefgh'],
  ['cards?game=mtg', 'dij'],
  ['cards?game=lorcana', ''],
  ['cards?set=base1', 'defgh'],
  ['cards?set=BASE1&game=pokemon', 'efgh'],
  ['cards?set=base+set', 'defgh'],
  ['cards?set=nowhere', ''],
  ['cards?set=', ''],
  ['cards?set=lea&game=pokemon', ''],
  ['cards?tcgplayer_id=42382', 'efh'],
  ['cards?tcgplayer_id=042382&game=mtg', ''],
  ['cards?tcgplayer_id=42382&number=4', 'ef'],
  ['cards?tcgplayer_id=42382&sort=price', 'feh'],
  ['cards?tcgplayer_id=42382&sort=-price&max_price=400', 'ef'],
  ['cards?tcgplayer_id=42383', ''],
  ['cards?tcgplayer_id=9007199254740991', 'g'],
  ['cards?tcgplayer_id=9007199254740992', ''],
  [`cards?tcgplayer_id=${'9'.repeat(500)}`, ''],
  ['cards?game=pokemon&number=4', 'aef'],
  ['cards?game=pokemon&number=004', 'aef'],
  ['cards?game=pokemon&number=4/102', 'aef'],
  ['cards?game=pokemon&number=00004%2Fx/y', 'aef'],
  ['cards?game=pokemon&number=4a', 'b'],
  ['cards?game=pokemon&number=4A', 'b'],
  ['cards?game=pokemon&number=sv001', 'c'],
  ['cards?game=pokemon&number=sv1', ''],
  ['cards?game=mtg&number=SV1', 'j'],
  ['cards?set=base1&number=4', 'def'],
  ['cards?game=pokemon&rarity=rare', 'aceg'],
  ['cards?game=pokemon&rarity=rar', ''],
  ['cards?game=pokemon&min_price=20', 'aeg'],
  ['cards?game=pokemon&max_price=20', 'abfg'],
  ['cards?game=pokemon&min_price=20&max_price=20.00', 'ag'],
  ['cards?game=pokemon&min_price=0', 'abefg'],
  ['cards?game=pokemon&max_price=0', 'f'],
  ['cards?game=pokemon&min_price=0.1&max_price=0.10', 'b'],
  ['cards?game=pokemon&min_price=0.11&max_price=19.99', ''],
  ['cards?game=mtg&min_price=10000000', 'j'],
  ['cards?game=mtg&min_price=10000000.01', ''],
  [`cards?game=mtg&max_price=${'9'.repeat(400)}`, 'dij'],
  ['cards?game=pokemon&sort=newest', 'abcefgh'],
  ['cards?game=pokemon&sort=price', 'fbagech'],
  ['cards?game=pokemon&sort=-price', 'eagbfch'],
  ['cards?game=pokemon&sort=name', 'aegbcfh'],
  ['cards?game=mtg&sort=name', 'jdi'],
  ['cards?set=base1&sort=price', 'fdgeh'],
  ['cards?set=base1&sort=-price&min_price=1', 'egd'],
  ['search?q=charizard', 'aegdb'],
  ['search?q=charizard&sort=relevance', 'aegdb'],
  ['search?q=charizard&sort=newest', 'abdeg'],
  ['search?q=charizard&sort=price', 'bdage'],
  ['search?q=charizard&sort=-price', 'eagdb'],
  ['search?q=charizard&sort=name', 'aegdb'],
  ['search?q=charizard&number=4', 'aed'],
  ['search?q=charizard&game=pokemon&number=004/1', 'ae'],
  ['search?q=charizard&min_price=5&max_price=20', 'agd'],
  ['search?q=charizard&min_price=5&max_price=20&sort=price', 'dag'],
  ['search?q=charizard&min_price=5&max_price=20&sort=-price&set=base1', 'gd'],
  // Cards beyond the limit count before typos are looked for.
  ['search?q=charizardd', 'aegdb'],
  ['search?q=pikachu&min_price=1', ''],
  ['search?q=forrest&number=4', 'i'],
  ['search?q=forrest&number=5', ''],
  ['search?q=_____&sort=price', 'j'],
  ['search?q=%EF%BC%BF____&set=lea&number=sv1&min_price=5', 'j'],
  ['search?q=_____&game=pokemon', ''],
  ['search?q=____', ''],
  ['search?q=u&sort=price', 'h'],
  ['search?q=c&number=4&number=40&sort=price&sort=x', 'dae'],
]

describe('The views of lists', () => {
  for (const [query, keys] of lists) {
    it(`GET /v1/${query} returns ${keys === '' ? 'no card' : `the cards with the fixture’s keys ${[...keys].join(', ')}`}`, async () => {
      const ids = [...keys].map(idOf)
      // From the third time on a kept page is sent.
      for (let time = 0; time < 3; time++) {
        const { status, json } = await ask(`/v1/${query}`)
        assert.equal(status, 200, JSON.stringify(json))
        assert.deepEqual(idsIn({ json }), ids)
        assert.deepEqual({ ...json, data: [] }, { data: [], total: ids.length, limit: 20, offset: 0 })
      }
      for (let offset = 0; offset <= ids.length + 1; offset += amount(3, 1)) {
        const { json } = await ask(`/v1/${query}&limit=2&offset=${offset}`)
        assert.deepEqual(idsIn({ json }), ids.slice(offset, offset + 2))
        assert.deepEqual({ ...json, data: [] }, { data: [], total: ids.length, limit: 2, offset })
      }
    })
  }

  it('A list or a search has summaries by default and all fields of its cards with view=full', async () => {
    for (const query of ['cards?game=pokemon', 'search?q=charizard&sort=price']) {
      const plain = await ask(`/v1/${query}`)
      const [summaries, full] = [await ask(`/v1/${query}&view=summary`), await ask(`/v1/${query}&view=full`)]
      assert.equal(summaries.body, plain.body)
      const { data, ...envelope } = full.json
      assert.deepEqual({ ...envelope, data: plain.json.data }, plain.json)
      assert.deepEqual(idsIn({ json: { data } }), idsIn(plain))
      const details = await Promise.all(idsIn(plain).map(async (id) => (await ask(`/v1/cards/${id}`)).body))
      const items = details.map((body: string) => body.slice('{"data":'.length, -1))
      assert.ok(full.body.startsWith(`{"data":[${items.join(',')}],"total":`), 'to the byte')
    }
  })

  const refused: readonly (readonly [query: string, message: RegExp])[] = [
    ['cards', /^one of game, set, tcgplayer_id, scryfall_id, mtgjson_id, cardmarket_id must be given$/],
    ['cards?rarity=rare&number=4', /^one of game, set, tcgplayer_id, .* must be given$/],
    ['cards?q=charizard', /^q must be left out of \/v1\/cards: use it with \/v1\/search, /],
    ['search?q=a&page=2', /^page must be left out of \/v1\/search: use offset and limit$/],
    ['games?per_page=2', /^per_page must be left out of \/v1\/games: use limit with \/v1\/search, /],
    ['cards?game=mtg&pageSize=2', /: use limit$/],
    ['cards?game=mtg&skip=2', /: use offset$/],
    ['suggest?q=a&order=name', /^order must be left out of \/v1\/suggest: use sort with \/v1\/search, \/v1\/cards$/],
    ...['order_by', 'orderBy', 'sort_by'].map((name) => [`cards?game=mtg&${name}=name`, /: use sort$/] as const),
    ...['fields', 'select', 'include'].map((name) => [`cards/a?${name}=prices`, /: use view$/] as const),
    ['cards/a?condition=nm', /^condition must be .*: use view=full for prices\.conditions$/],
    ['search?q=a&currency=EUR', /^currency must be .*: use view=extended for markets in other currencies$/],
    ...['language', 'lang'].map(
      (name) => [`search?q=a&${name}=ja`, /: use game=pokemonjp for cards in Japanese$/] as const,
    ),
    ...['since', 'updated_after'].map((name) => [`cards?game=mtg&${name}=2026-11-19`, /: use changed_since$/] as const),
    ...['query', 'name', 'search'].map((name) => [`search?${name}=urza`, /: use q$/] as const),
    ['cards?game=mtg&name=urza', /^name must be left out of \/v1\/cards: use q with \/v1\/search, /],
    ['cards/a/history?days=7', /^days must be left out of \/v1\/cards\/\{id\}\/history: use period$/],
    ['cards/a/prices?period=7d', /^period must be left out of \/v1\/cards\/\{id\}\/prices: use days$/],
    ['cards?scryfall_id=7', /^scryfall_id must be a UUID, 8-4-4-4-12 hexadecimal digits, given was "7"$/],
    ['sets?q=', /^q must be a set’s name or code of 1 to 200 characters, given was ""$/],
    ['cards?game=', /^game must be one of pokemon, .*, given was ""$/],
    ['cards?game=mtg&tcgplayer_id=1.5', /^tcgplayer_id must be a whole number of 1 or more, given was "1.5"$/],
    ['cards?game=mtg&sort=relevance', /^sort must be one of price, -price, name, .*, given was "relevance"$/],
    ['search?q=a&sort=Price', /^sort must be one of relevance, price, -price, .*, given was "Price"$/],
    ['search?q=a&view=all', /^view must be one of summary, full, extended, given was "all"$/],
    [`search?q=a&number=${'4'.repeat(33)}`, /^number must be a collector’s number of 1 to 32 characters/],
    ['search?q=a&min_price=-1', /^min_price must be an amount of 0 or more with at most two decimals, given was "-1"$/],
    ['search?q=a&max_price=1.005', /^max_price must be an amount of 0 or more with at most two decimals, given/],
    ['search?q=a&min_price=5&max_price=4.99', /^min_price must be at most max_price, which is 4.99, given was "5"$/],
    ['search', /^q must be a card name of 1 to 200 characters, given was ""$/],
    ['search?q=%', /^q must be percent-encoded UTF-8, given was "%"$/],
    ['sets?offset=-1', /^offset must be a whole number of 0 or more, given was "-1"$/],
    ['cards/nope/prices?days=91', /^days must be a whole number from 1 to 90, given was "91"$/],
    ['suggest?q=a&limit=0', /^limit must be a whole number of 1 or more, given was "0"$/],
  ]
  for (const [query, message] of refused) {
    it(`GET /v1/${query} gets 400 INVALID_PARAMETER`, async () => {
      const { status, json } = await ask(`/v1/${query}`)
      assert.deepEqual([status, json.error.code], [400, 'INVALID_PARAMETER'])
      assert.match(json.error.message, message)
    })
  }
})

describe('The views of a batch', () => {
  const batch = (body: unknown) => post('/v1/cards/batch', body)
  const ids = [idOf('g'), 'mtg-nope', idOf('a'), idOf('g'), idOf('k')]

  it('A batch has summaries by default and all fields with view=full, in the order of its ids', async () => {
    const plain = await batch({ ids })
    for (const body of [{ ids, view: 'summary' }, { view: 'summary', ids }, JSON.stringify({ ids }, null, 2)]) {
      assert.equal((await batch(body)).body, plain.body)
    }
    const known = ids.filter((id) => id !== 'mtg-nope')
    const details = await Promise.all(known.map(async (id) => (await ask(`/v1/cards/${id}`)).body))
    const items = details.map((body) => body.slice('{"data":'.length, -1)).join(',')
    for (const [body, expected] of [
      [{ ids, view: 'full' }, items],
      [{ view: 'full', other: 1, ids }, items],
      ['{"ids":["x"],"ids":[],"view":"full"}', ''],
    ] as const) {
      assert.equal((await batch(body)).body, `{"data":[${expected}]}`)
    }
  })

  it('A batch with an unknown view gets 400, and the error lists the views that exist', async () => {
    for (const view of ['all', '', 'FULL', null, 1, ['full'], {}, true, '__proto__']) {
      const { status, json } = await batch({ ids, view })
      assert.deepEqual([status, json.error.code], [400, 'INVALID_BODY'], String(view))
      assert.equal(json.error.message, 'The body’s view must be one of summary, full, extended, or absent.')
    }
    const ofIds = await batch({ ids: 1, view: 'all' })
    assert.match(ofIds.json.error.message, /with ids, an array of strings/)
    const many = await batch({ ids: Array(21).fill('x'), view: 'full' })
    assert.equal(many.json.error.code, 'BATCH_TOO_LARGE')
  })
})

describe('Suggestions', () => {
  const of = (name: string, game: string, count: number) => ({ name, game, cards: count })
  const hunter = of('Charizard Hunter', 'mtg', 1)
  const charizards = [of('Charizard', 'pokemon', 3), hunter, of('Dark Charizard', 'pokemon', 1)]
  const table: readonly (readonly [query: string, suggestions: object[]])[] = [
    ['q=charizard', charizards],
    ['q=c', charizards],
    ['q=CHAR&game=pokemon', [charizards[0]!, charizards[2]!]],
    ['q=c&limit=1', [charizards[0]!]],
    ['q=c&limit=21', charizards],
    ['q=c&limit=99999999999999999999', charizards],
    ['q=chraizard', []],
    ['q=charizard+x', []],
    ['q=hunt+ch', [hunter]],
    ['q=_____', [of('_____', 'mtg', 1)]],
    ['q=____', []],
    ['q=ae', [of('Ægis', 'fab', 1)]],
    ['q=pokemon', [of('Pokémon Flute', 'pokemon', 1)]],
    ['q=c&game=fab', []],
  ]
  for (const [query, suggestions] of table) {
    it(`GET /v1/suggest?${query} returns the expected suggestions`, async () => {
      for (let time = 0; time < 3; time++) {
        const { status, body } = await ask(`/v1/suggest?${query}`)
        assert.deepEqual([status, body], [200, JSON.stringify({ data: suggestions })])
        // The cached page of another list with the same query is another one.
        assert.ok('limit' in (await ask(`/v1/search?${query}`)).json, query)
      }
    })
  }

  it('A list of suggestions has ten names by default, and at most 20', async () => {
    for (const [more, count] of Object.entries({ '': 10, '&limit=20': 20, '&limit=21': 20 }))
      assert.equal((await ask(`/v1/suggest?q=zz${more}`)).json.data.length, count, more)
  })
})
