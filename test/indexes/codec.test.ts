import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { SeriesReader, SeriesWriter, unknownPrice } from '../../src/indexes/series/codec.ts'
import { priceCentsMax } from '../../src/limits.ts'
import { amount, someOf } from '../support/amount.ts'

fc.configureGlobal({ seed: 20_261_120 })

interface Row {
  readonly day: number
  readonly market: number
  readonly low: number
  readonly high: number
}

const price = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 400 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: priceCentsMax }) },
  { weight: 2, arbitrary: fc.constantFrom(unknownPrice, 0, 1, priceCentsMax) },
)

const change = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: -300, max: 300 }))

/** How a row comes out of the one before it: days further on, and what happens to its prices. */
const step = fc.record({
  days: fc.oneof(
    { weight: 6, arbitrary: fc.constant(1) },
    fc.integer({ min: 2, max: 9 }),
    fc.integer({ min: 10, max: 9000 }),
  ),
  percent: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: -9, max: 9 })),
  changes: fc.record({ market: change, low: change, high: change }),
  others: fc.option(fc.record({ market: price, low: price, high: price }), { freq: 9, nil: undefined }),
})

/** Rows in date order, oldest first. */
const series = fc
  .tuple(
    fc.oneof(fc.integer({ min: 20_000, max: 21_000 }), fc.integer({ min: -719_528, max: 2_932_896 })),
    fc.record({ market: price, low: price, high: price }),
    fc.array(step, { maxLength: 60 }),
  )
  .map(([day, prices, steps]) => {
    const rows: Row[] = [{ day, ...prices }]
    for (const { days, percent, changes, others } of steps) {
      const last = rows.at(-1)!
      const to = (name: keyof typeof changes) => {
        if (last[name] === unknownPrice) return unknownPrice
        const cents = Math.round(last[name] * (1 + percent / 100)) + changes[name]
        return Math.max(0, Math.min(priceCentsMax, cents))
      }
      const moved = { market: to('market'), low: to('low'), high: to('high') }
      rows.push({ day: last.day + days, ...(others ?? moved) })
    }
    return rows
  })

function encode(rows: readonly Row[]): Uint8Array {
  const writer = new SeriesWriter(0)
  for (const row of rows.toReversed()) writer.run({ ...row, days: 1 })
  writer.end()
  return writer.bytes.slice()
}

/** All rows from the day `from` on, oldest first. */
function decode(bytes: Uint8Array, from = Number.NEGATIVE_INFINITY): Row[] {
  const rows: Row[] = []
  const reader = new SeriesReader()
  reader.open(bytes, 0)
  do {
    for (let day = reader.day; day > reader.day - reader.days && day >= from; day--) {
      rows.push({ day, market: reader.market, low: reader.low, high: reader.high })
    }
  } while (reader.next())
  return rows.reverse()
}

describe('A history’s series of bytes', () => {
  test('A history series decodes to the rows that it was made from', () => {
    fc.assert(
      fc.property(series, (rows) => {
        assert.deepEqual(decode(encode(rows)), rows)
      }),
      { numRuns: amount(200, 500) },
    )
  })

  test('A history series is read from any place in a file, and its reading stops at its end', () => {
    fc.assert(
      fc.property(series, series, (first, second) => {
        const one = encode(first)
        const both = new Uint8Array([...one, ...encode(second)])
        assert.deepEqual(decode(both), first)
        assert.deepEqual(decode(both.subarray(one.length)), second)
      }),
    )
  })

  test('A history series continued by newer rows has the same bytes as one written in one go', () => {
    fc.assert(
      fc.property(series, fc.nat(), fc.nat(), (rows, a, b) => {
        const bytes = encode(rows)
        // The base's oldest rows stay; all later ones are written anew.
        const known = 1 + (a % rows.length)
        const stays = 1 + (b % known)
        const base = encode(rows.slice(0, known))
        const reader = new SeriesReader()
        reader.open(base, 0)
        const newestThatStays = rows[stays - 1]!.day
        while (reader.day - reader.days + 1 > newestThatStays) reader.next()
        if (reader.day > newestThatStays) reader.cutBefore(newestThatStays + 1)
        const writer = new SeriesWriter(0)
        for (const row of rows.slice(stays).reverse()) writer.run({ ...row, days: 1 })
        writer.endWith(reader, base, base.length)
        assert.deepEqual(writer.bytes, bytes)
      }),
      { numRuns: amount(200, 500) },
    )
  })

  test('A history series written in runs of days has the same bytes as one written day by day', () => {
    const writer = new SeriesWriter(0)
    writer.run({ day: 20_100, days: 60, market: 5, low: 4, high: 6 })
    writer.run({ day: 20_040, days: 41, market: 5, low: 4, high: 6 })
    writer.end()
    const days = Array.from({ length: 101 }, (_, i) => ({ day: 20_000 + i, market: 5, low: 4, high: 6 }))
    assert.deepEqual(writer.bytes, encode(days))
  })

  // Counts up to 6 stand in a token, those from 7 on beside it, those from 7 + 128 on in two bytes.
  const counts = [...Array.from({ length: 20 }, (_, i) => i + 1), 133, 134, 135, 136, 137, 7 + 128 * 128, 8 + 128 * 128]

  /** Rows of equal prices on so many days in a row; the newest is on `last`. */
  const equal = (last: number, days: number, market: number): Row[] =>
    Array.from({ length: days }, (_, i) => ({ day: last - days + 1 + i, market, low: 1, high: 9 }))

  test('A history series decodes to the same rows for runs and gaps of any length', () => {
    for (const run of counts) {
      for (const gap of run < 1000 ? [0, 1, ...counts] : someOf([0, 1, ...counts], 2)) {
        const newest = equal(20_000, 2, 7)
        const middle = equal(20_000 - 2, run, 8)
        for (const oldest of [[], equal(20_000 - 2 - run - gap, 1, 9), equal(20_000 - 2 - run - gap, run, 8)]) {
          const rows = [...oldest, ...middle, ...newest]
          // Without a gap equal runs are one.
          assert.deepEqual(decode(encode(rows)), rows, `a run of ${run}, a gap of ${gap}`)
        }
      }
    }
  })

  test('A history series can be continued after or within a run of any length', () => {
    for (const run of counts.filter((count) => count < 1000)) {
      const base = equal(20_000, run, 8)
      const bytes = encode(base)
      // The base's newest days go, and newer ones come, of the same prices and of others.
      for (let gone = 0; gone < run; gone += Math.ceil(run / 10)) {
        for (const market of [8, 9]) {
          const rows = [...base.slice(0, run - gone), ...equal(20_000 + run, run + gone, market)]
          const reader = new SeriesReader()
          reader.open(bytes, 0)
          if (gone > 0) reader.cutBefore(20_000 - gone + 1)
          const writer = new SeriesWriter(0)
          for (const row of rows.slice(run - gone).reverse()) writer.run({ ...row, days: 1 })
          writer.endWith(reader, bytes, bytes.length)
          assert.deepEqual(writer.bytes, encode(rows), `a run of ${run}, ${gone} gone`)
          assert.deepEqual(decode(writer.bytes), rows)
        }
      }
    }
  })

  // Another format needs another number in src/indexes/format.ts: servers read versions that an earlier release wrote.
  test('A history series takes few bytes for common changes, and exactly those of its format', () => {
    type Later = [days: number, market: number, low: number, high: number]
    const cases: [name: string, later: Later, bytes: string][] = [
      ['the same prices', [1, 500, 400, 700], 'c2b80207f4039003bc0501'],
      ['the same prices after a gap', [9, 500, 400, 700], 'd2b80207f4039003bc0508170000'],
      ['a small step, low and high with it', [1, 505, 404, 707], 'c2b80207f9039403c3054800'],
      ['the same after a gap', [4, 505, 404, 707], 'c8b80207f9039403c305084a00'],
      ['a small step, low and high a little off', [1, 505, 402, 709], 'c2b80207f9039203c505985900'],
      ['a large step, low and high with it', [1, 550, 440, 770], 'c2b80207a604b8038206386300'],
      ['a large step, low and high a little off', [1, 550, 442, 760], 'c2b80207a604ba03f8053063f51200'],
      ['the low price alone', [1, 500, 395, 700], 'c2b80207f4038b03bc05407c00'],
      ['the market alone', [1, 550, 400, 700], 'c2b80207a6049003bc05286300'],
      ['the market, and low a little', [1, 550, 401, 700], 'c2b80207a6049103bc0520637600'],
      ['the low price unknown', [1, 500, unknownPrice, 700], 'c2b80205f403bc051807f4039003bc0500'],
    ]
    for (const [name, [days, market, low, high], bytes] of cases) {
      const later = { day: 20_000 + days, market, low, high }
      const series = encode([{ day: 20_000, market: 500, low: 400, high: 700 }, later])
      assert.equal(Buffer.from(series).toString('hex'), bytes, name)
    }
  })

  test('A history series refuses rows that are not written newest first', () => {
    const writer = new SeriesWriter(0)
    writer.run({ day: 20_000, days: 1, market: 1, low: 1, high: 1 })
    assert.throws(() => writer.run({ day: 20_000, days: 1, market: 2, low: 2, high: 2 }), /newest first/)
  })
})
