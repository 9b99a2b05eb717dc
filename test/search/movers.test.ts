/** Movers in catalogs of any size, however their pages are found: what sorting all of them finds. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { change, directions } from '../../src/indexes/changes-file.ts'
import { noPrice } from '../../src/indexes/lists-file.ts'
import { periods } from '../../src/indexes/price-change.ts'
import { priceCentsMax } from '../../src/limits.ts'
import { plainTenths } from '../reference/scan.ts'
import { searchOf } from '../reference/searched-catalog.ts'
import { amount, itInAll } from '../support/amount.ts'
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'

const sets = [0, 0, 2, 5].map((game, set) => ({ code: `s${set}`, name: drawFrom(randomFrom(set), ['x', 'y']), game }))
/** Of the set in which most cards are. */
const largest = 's0'

function drawnPrice(random: Random): number {
  if (drawBelow(random, 10) === 0) return drawFrom(random, [noPrice, 0, 1, 2, 99, 100, 101, priceCentsMax])
  return Math.floor(10 ** (random() * 5))
}

/** Prices and changes by card; most cards move by little, so that many are equal. */
function drawnCatalog(random: Random, count: number) {
  const cards = Array.from({ length: count }, () => {
    const setNumber = drawFrom(random, [0, 0, 0, 0, 0, 0, 1, 2, 2, 3])
    return { name: 'a', game: sets[setNumber]!.game, setNumber, rarity: null }
  })
  const changes = new Uint32Array(count * change.size).fill(noPrice)
  cards.forEach((_, card) => {
    const to = drawnPrice(random)
    changes[card * change.size + change.to] = to
    periods.forEach((_, period) => {
      const near = to === noPrice ? to : Math.min(priceCentsMax, Math.max(0, to + drawBelow(random, 41) - 20))
      changes[card * change.size + change.from + period] = drawBelow(random, 3) === 0 ? drawnPrice(random) : near
    })
  })
  return { cards, changes }
}

async function compare(seed: number, count: number, rounds: number) {
  const random = randomFrom(seed)
  const { cards, changes } = drawnCatalog(random, count)
  const search = await searchOf(cards, sets, changes)
  for (let round = 0; round < rounds; round++) {
    const game = drawFrom(random, [-1, -1, 0, 2, 5, 7])
    const set = drawFrom(random, [undefined, undefined, undefined, largest, 's2', 'x', 'none'])
    const direction = drawBelow(random, directions.length)
    const by = drawFrom(random, ['percent', 'amount'] as const)
    const minCents = drawFrom(random, [0, 2, 50, 99, 100, 100, 100, 101, 500, 5000, 50_000, 99_000, priceCentsMax + 1])
    const period = drawBelow(random, periods.length)
    const limit = drawFrom(random, [1, 20, 100])
    const coded = sets.filter(({ code, game: of }) => code === set && (game === -1 || of === game))
    const named =
      coded.length > 0 ? coded : sets.filter(({ name, game: of }) => name === set && (game === -1 || of === game))
    const expected = cards
      .map(({ setNumber, game: of }, card) => {
        const from = changes[card * change.size + change.from + period]!
        const to = changes[card * change.size + change.to]!
        const isOf = (game === -1 || game === of) && (set === undefined || named.includes(sets[setNumber]!))
        const isKnown = isOf && from !== noPrice && to !== noPrice && from !== 0 && from !== to
        const moved = isKnown && to > from === (direction === 0) && from >= minCents && to >= minCents
        return { card, size: moved ? Math.abs(by === 'percent' ? plainTenths(from, to) : to - from) : -1 }
      })
      .filter(({ size }) => size !== -1)
      .sort((a, b) => b.size - a.size || a.card - b.card)
      .map(({ card }) => card)
    for (const offset of [0, drawBelow(random, expected.length + 1), Math.max(0, expected.length - 1)]) {
      const found = search.movers({ game, set }, { period, direction, by, minCents }, limit, offset)
      const message = `seed ${seed}: ${JSON.stringify({ game, set, period, direction, by, minCents, limit, offset })}`
      assert.equal(found.total, expected.length, message)
      assert.deepEqual([...found.cards.subarray(0, found.count)], expected.slice(offset, offset + limit), message)
    }
  }
}

it('are what sorting all of them finds', async () => {
  for (let seed = 1; seed <= amount(6, 100); seed++)
    await compare(seed, 1 + (seed % 6 === 0 ? 3000 : seed * 17), amount(60, 200))
})

it('are of one set after those of another, also if they are more than are collected', async () => {
  const count = 8200
  const cards = Array.from({ length: 2 * count }, (_, i) => ({ name: 'a', game: 0, setNumber: i % 2, rarity: null }))
  const changes = new Uint32Array(cards.length * change.size).fill(1000)
  // All of s0 moved more than any of s1.
  cards.forEach(({ setNumber }, card) => {
    changes[card * change.size + change.to] = setNumber === 0 ? 3000 : 2000
  })
  const search = await searchOf(cards, sets, changes)
  const movement = { period: 0, direction: 0, by: 'percent', minCents: 100 } as const
  for (const setNumber of [0, 1, 0]) {
    const found = search.movers({ game: 0, set: sets[setNumber]!.code }, movement, 100, 0)
    assert.equal(found.total, count)
    assert.deepEqual(
      [...found.cards.subarray(0, found.count)],
      Array.from({ length: 100 }, (_, i) => 2 * i + setNumber),
    )
  }
})

// More than are collected, and more in a game than 16 bits can tell.
itInAll('so they are in large catalogs', async () => {
  await compare(1000, 60_000, 100)
  await compare(1001, 150_000, 60)
})
