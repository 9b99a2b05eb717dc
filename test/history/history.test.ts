/** Histories: an answer as JSON.stringify would write it, and how the prices of a card have changed. */

import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import fc from 'fast-check'
import { readChanges } from '../../build/compile/history/series-changes.ts'
import { dateOfDay, dayEndMs, dayOfDate, dayOfMs, noDay } from '../../src/calendar.ts'
import { History } from '../../src/history/history.ts'
import { change, percentTenths } from '../../src/indexes/changes-file.ts'
import { partCards } from '../../src/indexes/format.ts'
import { readHistoryFile, writeHistoryFile } from '../../src/indexes/history-file.ts'
import { noPrice } from '../../src/indexes/lists-file.ts'
import { SeriesWriter, unknownPrice } from '../../src/indexes/series/codec.ts'
import { historyDateMax, historyDateMin, priceCentsMax } from '../../src/limits.ts'
import { changedOn, fromOf, type PlainRows, plainChanges, plainPeriods, toOf } from '../reference/changes.ts'
import { asOf, drawnRows } from '../reference/moved-cards.ts'
import { plainTenths } from '../reference/scan.ts'
import { amount } from '../support/amount.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'

fc.configureGlobal({ seed: 20_261_120 })

/** Cents by day, oldest first. */
type Series = readonly (readonly [day: number, market: number, low: number, high: number])[]

function fileOf(cards: readonly Series[]): Uint8Array {
  const writer = new SeriesWriter(0)
  const at = [0]
  for (const rows of cards) {
    for (const [day, market, low, high] of rows.toReversed()) writer.run({ day, days: 1, market, low, high })
    writer.end()
    at.push(writer.length)
  }
  return Buffer.concat(writeHistoryFile({ series: writer.bytes, at: Uint32Array.from(at) }))
}

/** In memory that threads share, as it is served. */
function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}

const dollars = (cents: number) => (cents === unknownPrice ? null : cents / 100)

/** The plain way. */
function expected(id: string, label: object, rows: Series, asOf: number, days: number): string {
  const history = rows
    .filter(([day]) => day > asOf - days)
    .map(([day, market, low, high]) => ({
      date: dateOfDay(day),
      market: dollars(market),
      low: dollars(low),
      high: dollars(high),
    }))
  return JSON.stringify({ data: { cardId: id, ...label, history } })
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')
const price = fc.oneof(
  fc.integer({ min: 0, max: 2000 }),
  fc.integer({ min: 0, max: priceCentsMax }),
  fc.constantFrom(unknownPrice, 0, 1, 10, 99, 100, 101, 100_000_000, priceCentsMax - 1, priceCentsMax),
)

const seriesUpTo = (newest: number): fc.Arbitrary<Series> =>
  fc
    .array(fc.tuple(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 40 })), fc.boolean(), price, price, price), {
      maxLength: 80,
    })
    .map((steps) => {
      const rows: [number, number, number, number][] = []
      let day = newest + 1
      for (const [back, same, market, low, high] of steps) {
        day -= back
        const last = rows.at(-1)
        rows.push(same && last !== undefined ? [day, last[1], last[2], last[3]] : [day, market, low, high])
      }
      return rows.reverse()
    })

describe('The history of a card', () => {
  test('A history is what JSON.stringify makes of the rows of its period', () => {
    const windows = fc.constantFrom(1, 2, 7, 30, 90, 365, Number.POSITIVE_INFINITY)
    fc.assert(
      fc.property(fc.array(seriesUpTo(asOf), { minLength: 1, maxLength: 4 }), windows, (cards, days) => {
        const history = new History([readHistoryFile(shared(fileOf(cards)))], asOf)
        cards.forEach((rows, card) => {
          const id = `pokemon-base1-${card}`
          const label = { period: '30d' }
          assert.equal(text(history.body(card, id, '"period":"30d"', days)), expected(id, label, rows, asOf, days))
        })
      }),
      { numRuns: amount(100, 300) },
    )
  })

  test('A batch of histories lists the history of each card, and any slice of its bytes is right', () => {
    const windows = fc.constantFrom(1, 30, 365, Number.POSITIVE_INFINITY)
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 })
    fc.assert(
      fc.property(fc.array(seriesUpTo(asOf), { maxLength: 5 }), windows, cuts, (cards, days, shares) => {
        const history = new History([readHistoryFile(shared(fileOf(cards)))], asOf)
        const asked = cards.flatMap((_, card) => (card % 2 === 0 ? [card, card] : [card]))
        const ids = asked.map((card) => `pokemon-base1-${card}`)
        const alone = asked.map((card, i) =>
          expected(ids[i]!, { period: '1y' }, cards[card]!, asOf, days).slice('{"data":'.length, -1),
        )
        const body = history.bodies(asked, ids, '"period":"1y"', days)
        const all = `{"data":[${alone.join()}]}`
        assert.equal(body.length, all.length)
        assert.equal(text(body.body), all)
        const places = shares.map((share) => Math.round(share * all.length)).sort((a, b) => a - b)
        for (const [i, from] of places.entries()) {
          for (const to of places.slice(i)) assert.equal(text(body.subarray(from, to)), all.slice(from, to))
        }
      }),
      { numRuns: amount(100, 300) },
    )
  })

  test('A history of every day from the first valid date to the last has all its days, and then a shorter one has its own', () => {
    const newest = dayOfDate(historyDateMax)
    const rows: [number, number, number, number][] = []
    for (let day = dayOfDate(historyDateMin); day <= newest; day++) {
      rows.push([day, priceCentsMax - 1 - (day % 3), priceCentsMax - 1, priceCentsMax - 1])
    }
    const history = new History([readHistoryFile(fileOf([rows]))], newest)
    for (const days of [30, Number.POSITIVE_INFINITY, 7]) {
      assert.equal(
        text(history.body(0, 'x'.repeat(128), '"days":1', days)),
        expected('x'.repeat(128), { days: 1 }, rows, newest, days),
      )
    }
  })

  test('The history of a card is read from the file that has the card, if there are several', () => {
    const parts = [fileOf([[[asOf, 1, 1, 1]]]), fileOf([[], [[asOf, 2, 2, 2]]])].map(readHistoryFile)
    const history = new History(parts, asOf)
    assert.match(text(history.body(partCards + 1, 'a', '"days":1', 1)), /"market":0.02/)
    assert.match(text(history.body(0, 'a', '"days":1', 1)), /"market":0.01/)
  })
})

describe('The days of the calendar', () => {
  test('Each day from year 0 to 9999 converts to its date and back, and ends just before the next day', () => {
    for (
      let day = dayOfDate('0000-01-01');
      day <= dayOfDate('9999-12-31');
      day += 1 + (Math.abs(day) % amount(997, 13))
    ) {
      const date = dateOfDay(day)
      assert.equal(dayOfDate(date), day, date)
      assert.deepEqual([dayOfMs(dayEndMs(day) - 1), dayOfMs(dayEndMs(day))], [day, day + 1], date)
    }
  })

  test('A date that is not in the calendar is no day', () => {
    const wrong = '2026-02-29 1900-02-29 2026-04-31 2026-13-01 2026-00-10 2026-01-00 2026-1-1'
    for (const date of ['', ...wrong.split(' ')]) assert.equal(dayOfDate(date), noDay, date)
    assert.equal(dayOfDate('2000-02-29'), 11_016)
  })
})

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

it('The price changes of a card are those that a plain reading of its rows finds', () => {
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

it('A percentage is exact, and rounds half away from zero', () => {
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

describe('The price changes that a person expects', () => {
  type Prices = Parameters<typeof rowsAt>[0]
  const [day, week, year] = [0, 1, 4]
  const cases: readonly (readonly [what: string, prices: Prices, period: number, from: number | null])[] = [
    [
      'since yesterday is measured from Friday, if today is Monday and the weekend has no data',
      { 0: 110, 3: 100, 4: 90 },
      day,
      100,
    ],
    ['since a week ago skips rows without a price', { 0: null, 1: 110, 7: null, 8: null, 9: 100 }, week, 100],
    [
      'since a year ago is measured from the newest price of 365 to 371 days ago',
      { 0: 110, 364: 105, 368: 100 },
      year,
      100,
    ],
    ['since a year ago may be measured from a price of 371 days ago', { 0: 110, 364: 105, 371: 100 }, year, 100],
    ['since a year ago is unknown without a price of 365 to 371 days ago', { 0: 110, 364: 105, 372: 100 }, year, null],
  ]
  for (const [what, prices, period, from] of cases) {
    it(`A price change ${what}`, () => {
      const found = read(rowsAt(prices))
      assert.deepEqual([found.to, found.from[period]], [110, from])
    })
  }
})
