/** How prices have changed, read from a series: what a plain reading of the rows finds. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readChanges } from '../../build/compile/history/series-changes.ts'
import { dateOfDay, noDay } from '../../src/calendar.ts'
import { change, percentTenths } from '../../src/indexes/changes-file.ts'
import { noPrice } from '../../src/indexes/lists-file.ts'
import { SeriesWriter, unknownPrice } from '../../src/indexes/series/codec.ts'
import { priceCentsMax } from '../../src/limits.ts'
import { changedOn, fromOf, type PlainRows, plainChanges, plainPeriods, toOf } from '../reference/changes.ts'
import { asOf, drawnRows } from '../reference/moved-cards.ts'
import { plainTenths } from '../reference/scan.ts'
import { amount } from '../support/amount.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'

const known = (cents: number | undefined) => (cents === noPrice ? null : cents!)

/** The reader's result for the rows, after a card whose series lies before. */
function read(rows: PlainRows) {
  const writer = new SeriesWriter(0)
  writer.run({ day: asOf, days: 3, market: 1, low: 2, high: 3 })
  writer.end()
  const start = writer.length
  const days = [...rows.keys()].sort((a, b) => b - a)
  const written = new Map<number, number[]>()
  for (const day of days) {
    const market = rows.get(day) ?? unknownPrice
    const [low, high] = [Math.floor(day / 4) % 3 === 0 ? unknownPrice : 5, Math.max(market, Math.floor(day / 9) % 3)]
    writer.run({ day, days: 1, market, low, high })
    written.set(day, [market, low, high])
  }
  writer.end()
  const numbers = new Uint32Array(change.size)
  const read = readChanges({ bytes: writer.bytes, start, end: writer.length }, asOf, numbers)
  const [to, ...rest] = numbers
  const ages = numbers[change.days]!
  const extreme = (place: number, age: number) => {
    const cents = known(numbers[place])
    return cents === null ? null : { date: dateOfDay(asOf - age), market: cents / 100 }
  }
  assert.deepEqual(read, { rows: rows.size, changedOn: changedOn(written) ?? noDay })
  return {
    to: known(to),
    from: rest.slice(0, Object.keys(plainPeriods).length).map(known),
    high: extreme(change.high, ages >>> 16),
    low: extreme(change.low, ages & 0xffff),
  }
}

it('is what a plain reading of the rows finds', () => {
  for (let seed = 1; seed <= amount(400, 20_000); seed++) {
    const rows = drawnRows(randomFrom(seed))
    const { data } = plainChanges('', rows, asOf) as { data: { high: object; low: object } }
    assert.deepEqual(
      read(rows),
      {
        to: toOf(rows, asOf),
        from: Object.values(plainPeriods).map((days) => fromOf(rows, asOf, days)),
        high: data.high,
        low: data.low,
      },
      `seed ${seed}`,
    )
  }
})

it('a percentage is exact, half away from zero', () => {
  const random = randomFrom(1)
  const prices = [1, 2, 3, 7, 200, 2000, 4000, 99_999, priceCentsMax - 1, priceCentsMax]
  const price = () => (drawBelow(random, 2) === 0 ? drawFrom(random, prices) : 1 + drawBelow(random, 5000))
  for (let round = 0; round < amount(20_000, 1_000_000); round++) {
    const [from, to] = [price(), drawBelow(random, 20) === 0 ? 0 : price()]
    assert.equal(percentTenths(from, to), plainTenths(from, to), `${from} to ${to}`)
  }
  assert.deepEqual([percentTenths(2000, 2001), percentTenths(2000, 1999), percentTenths(100, 0)], [1, -1, -1000])
  assert.ok(Object.is(percentTenths(100_000, 99_999), 0), 'no -0')
})

/** Prices by days before the newest. */
const rowsAt = (prices: Readonly<Record<number, number | null>>): PlainRows =>
  new Map(Object.entries(prices).map(([age, cents]) => [asOf - Number(age), cents]))

describe('what a person expects', () => {
  type Prices = Parameters<typeof rowsAt>[0]
  const [day, week, year] = [0, 1, 4]
  const cases: readonly (readonly [what: string, prices: Prices, period: number, from: number | null])[] = [
    ['on Monday after a weekend without data, since yesterday is since Friday', { 0: 110, 3: 100, 4: 90 }, day, 100],
    ['where the day a week ago was missed, since the day before it', { 0: 110, 6: 105, 8: 100, 9: 95 }, week, 100],
    ['two weeks ago is no week ago', { 0: 110, 6: 105, 14: 100 }, week, null],
    ['a row without a price does not count', { 0: null, 1: 110, 7: null, 8: null, 9: 100 }, week, 100],
    ['a year ago is the last day before, within a week', { 0: 110, 364: 105, 368: 100 }, year, 100],
    ['a year ago is at most a week earlier', { 0: 110, 364: 105, 371: 100 }, year, 100],
    ['a year ago is no more than a week earlier', { 0: 110, 364: 105, 372: 100 }, year, null],
    ['a card that is younger has no price of a year ago', { 0: 110, 364: 105 }, year, null],
  ]
  for (const [what, prices, period, from] of cases) {
    it(what, () => {
      const found = read(rowsAt(prices))
      assert.deepEqual([found.to, found.from[period]], [110, from])
    })
  }

  it('where today’s row is late, the price is yesterday’s, or that of the day before', () => {
    assert.deepEqual(
      [{ 1: 100 }, { 2: 100 }, { 3: 100 }].map((prices) => read(rowsAt(prices)).to),
      [100, 100, null],
    )
  })

  it('the year’s high and low are of the last 365 days, on the newest date', () => {
    const { high, low } = read(rowsAt({ 0: 100, 10: 200, 20: 200, 30: 50, 31: 50, 364: 60, 365: 900 }))
    assert.deepEqual(high, { date: dateOfDay(asOf - 10), market: 2 })
    assert.deepEqual(low, { date: dateOfDay(asOf - 30), market: 0.5 })
  })
})
