import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { dateOfDay, dayEndMs, dayOfDate, dayOfMs, noDay } from '../../src/calendar.ts'
import { History } from '../../src/history/history.ts'
import { readHistoryFile, writeHistoryFile } from '../../src/indexes/history-file.ts'
import { SeriesWriter, unknownPrice } from '../../src/indexes/series/codec.ts'
import { historyDateMax, historyDateMin, partCards, priceCentsMax } from '../../src/limits.ts'
import { amount } from '../support/amount.ts'

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
const asOf = dayOfDate('2026-11-20')

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

describe('an answer', () => {
  test('is what JSON.stringify makes of the rows of the window', () => {
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

  test('counts the newest date as a day, and writes prices as numbers', () => {
    const rows: Series = [
      [asOf - 30, 1, 1, 1],
      [asOf - 29, 150, unknownPrice, 1_000_000_000],
    ]
    const history = new History([readHistoryFile(fileOf([rows]))], asOf)
    const row = '{"date":"2026-10-22","market":1.5,"low":null,"high":10000000}'
    const body = `{"data":{"cardId":"mtg-a-1","days":30,"history":[${row}]}}`
    assert.equal(text(history.body(0, 'mtg-a-1', '"days":30', 30)), body)
  })

  test('reaches over all days that data may have, and back to a short one', () => {
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

  test('comes from the part that has the card', () => {
    const parts = [fileOf([[[asOf, 1, 1, 1]]]), fileOf([[], [[asOf, 2, 2, 2]]])].map(readHistoryFile)
    const history = new History(parts, asOf)
    assert.match(text(history.body(partCards + 1, 'a', '"days":1', 1)), /"market":0.02/)
    assert.match(text(history.body(0, 'a', '"days":1', 1)), /"market":0.01/)
  })
})

describe('a day', () => {
  test('is counted as Date counts it', () => {
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

  test('must be in the calendar', () => {
    const wrong = '2026-02-29 1900-02-29 2026-04-31 2026-13-01 2026-00-10 2026-01-00 2026-1-1'
    for (const date of ['', ...wrong.split(' ')]) assert.equal(dayOfDate(date), noDay, date)
    assert.equal(dayOfDate('2000-02-29'), 11_016)
  })
})
