/** The work of a list, counted: how many cards are asked whether they are in scope, and how many are selected. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { InScope } from '../../src/search/scope/in-scope.ts'
import { listSorts } from '../../src/search/scope/orders.ts'
import { Selection } from '../../src/search/scope/select.ts'
import type { Filter, Paging } from '../../src/search/search.ts'
import { Scan } from '../reference/scan.ts'
import { searchOf } from '../reference/searched-catalog.ts'
import { drawBelow, randomFrom } from '../support/random.ts'

const perGame = 4000
const games = [0, 1]
/** A set of 40 cards, and one that has all others of its game. */
const sets = games.flatMap((game) => [
  { code: 'small', name: `Small ${game}`, game },
  { code: `large${game}`, name: `Large ${game}`, game },
])
const smallSet = 40
const random = randomFrom(83)
const cards = games.flatMap((game) =>
  Array.from({ length: perGame }, (_, i) => ({
    name: `Name ${drawBelow(random, 500)}`,
    game,
    setNumber: 2 * game + (i < smallSet ? 0 : 1),
    rarity: i % 3 === 0 ? 'Common' : null,
    number: `${i % 100}`,
    market: i % 7 === 0 ? null : drawBelow(random, 900),
    changedOn: 20_000 + (i % 30),
    weekAgo: i % 5 === 0 ? null : 1 + drawBelow(random, 900),
    now: 1 + drawBelow(random, 900),
  })),
)
const search = await searchOf(cards, sets)
const scan = new Scan(cards, sets)

const ofGame = { game: 1, set: undefined, rarity: undefined }

/** Lists a page, compares it with a plain scan's, and returns how many cards it looked at. */
function workOf(filter: Filter, paging: Paging, sort: (typeof listSorts)[number]) {
  const asked = mock.method(InScope.prototype, 'has')
  const selected = mock.method(Selection.prototype, 'add')
  const { cards, count, total } = search.list(filter, {}, paging, sort)
  const work = { asked: asked.mock.callCount(), selected: selected.mock.callCount() }
  mock.restoreAll()
  const all = scan.list(filter, {}, sort)
  const page = all.slice(paging.offset, paging.offset + paging.limit)
  assert.deepEqual([[...cards.subarray(0, count)], total], [page, all.length])
  return work
}

const narrowed: readonly [what: string, filter: Partial<Filter>][] = [
  ['a rarity', { rarity: 'common' }],
  ['prices', { minCents: 100, maxCents: 700 }],
  ['a day of change', { changedSince: 20_010 }],
  ['everything', { rarity: 'common', minCents: 100, changedSince: 20_010, set: 'large1' }],
  ['a set with nearly all cards of the game', { set: 'large1' }],
]

test('A list of a game narrowed to a number counts only that game’s cards, even on a page past the end', () => {
  for (const sort of listSorts) {
    for (const offset of [0, 1000]) workOf({ ...ofGame, number: '7' }, { limit: 20, offset }, sort)
  }
})

for (const sort of listSorts) {
  test(`A list of a game with sort=${sort} is read from a stored order, and examines no single card`, () => {
    for (const offset of [0, 20, perGame - 10, perGame, 10 * perGame, Number.MAX_SAFE_INTEGER]) {
      assert.deepEqual(workOf(ofGame, { limit: 20, offset }, sort), { asked: 0, selected: 0 })
    }
  })

  for (const [what, filter] of narrowed) {
    test(`A list of a game with sort=${sort}, narrowed by ${what}, checks each card of the game at most once, and sorts no cards`, () => {
      for (const offset of [0, 900, perGame]) {
        const { asked, selected } = workOf({ ...ofGame, ...filter }, { limit: 100, offset }, sort)
        assert.equal(selected, 0)
        assert.ok(asked <= perGame, `${asked} cards asked`)
      }
    })
  }

  test(`A list of a small set by ${sort} looks only at the set’s cards`, () => {
    const { asked, selected } = workOf({ ...ofGame, set: 'small', rarity: 'common' }, { limit: 20, offset: 0 }, sort)
    assert.equal(asked, smallSet)
    assert.ok(selected <= smallSet, `${selected} cards selected`)
  })

  test(`A far page of the few changed cards of a game by ${sort} looks only at these cards`, () => {
    const { asked, selected } = workOf({ ...ofGame, changedSince: 20_028 }, { limit: 20, offset: 100 }, sort)
    assert.ok(asked <= perGame / 30 + 1, `${asked} cards asked`)
    assert.ok(selected <= perGame / 30 + 1, `${selected} cards selected`)
  })

  test(`A list of a game’s many changed cards by ${sort} is read no further than the page’s last card`, () => {
    const filter = { ...ofGame, changedSince: 20_005 }
    const { asked, selected } = workOf(filter, { limit: 20, offset: 0 }, sort)
    assert.equal(selected, 0)
    assert.ok(asked <= perGame / 20, `${asked} cards asked`)
    assert.equal(workOf(filter, { limit: 20, offset: perGame }, sort).asked, 0)
  })
}

for (const sort of ['price', '-price'] as const) {
  test(`A list of a game by ${sort} between two prices is read from a stored order, without a look at single cards`, () => {
    for (const bounds of [{ minCents: 100, maxCents: 700 }, { minCents: 500 }, { maxCents: 0 }, { minCents: 2000 }]) {
      for (const offset of [0, 200, perGame]) {
        assert.deepEqual(workOf({ ...ofGame, ...bounds }, { limit: 20, offset }, sort), { asked: 0, selected: 0 })
      }
    }
  })
}
