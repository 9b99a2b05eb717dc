/** The check of series against the reader that relies on it: what is called whole reads to its end, within its days. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { dayOfDate } from '../../src/calendar.ts'
import { SeriesReader, SeriesWriter, unknownPrice } from '../../src/indexes/series/codec.ts'
import { SeriesCheck } from '../../src/indexes/series/series-check.ts'
import { historyDateMax, historyDateMin, priceCentsMax } from '../../src/limits.ts'
import { amount } from '../support/amount.ts'
import { drawBelow, randomFrom } from '../support/random.ts'

const seed = Number(process.env['SEED'] ?? 14)
const random = randomFrom(seed)
const firstDay = dayOfDate(historyDateMin)
const lastDay = dayOfDate(historyDateMax)

function drawSeries(): { bytes: Uint8Array; rows: number } {
  const writer = new SeriesWriter(64)
  const price = () => (random() < 0.2 ? unknownPrice : drawBelow(random, random() < 0.5 ? 500 : priceCentsMax + 1))
  let prices = [price(), price(), price()] as const
  let rows = 0
  let day = lastDay - drawBelow(random, 20_000)
  for (let runs = 1 + drawBelow(random, 12); runs > 0; runs--) {
    const days = 1 + drawBelow(random, random() < 0.3 ? 300 : 10)
    writer.run(day, days, ...prices)
    rows += days
    day -= days + (random() < 0.3 ? drawBelow(random, 300) : 0)
    if (random() < 0.5) prices = [price(), price(), price()]
    else prices = [Math.max(prices[0] + drawBelow(random, 9) - 4, 0), prices[1], prices[2]]
  }
  writer.end()
  return { bytes: writer.bytes.slice(), rows }
}

/** Reads it as answers do. Returns its rows; throws if it leaves its bytes or its days. */
function readAll(bytes: Uint8Array): number {
  const reader = new SeriesReader()
  reader.open(bytes, 0)
  let rows = 0
  let before = Number.POSITIVE_INFINITY
  do {
    assert.ok(reader.days >= 1 && reader.day < before)
    assert.ok(reader.day <= lastDay && reader.day - reader.days + 1 >= firstDay)
    before = reader.day - reader.days + 1
    rows += reader.days
  } while (reader.next())
  assert.equal(reader.at, bytes.length)
  return rows
}

const isWhole = (bytes: Uint8Array) => new SeriesCheck().isWhole(bytes, 0, bytes.length)

it(`series that are written are whole, and no part of them is (seed ${seed})`, () => {
  for (let n = 0; n < amount(300, 1000); n++) {
    const { bytes, rows } = drawSeries()
    const check = new SeriesCheck()
    assert.ok(check.isWhole(bytes, 0, bytes.length))
    assert.equal(check.rows, rows)
    assert.equal(readAll(bytes), rows)
    assert.ok(!isWhole(bytes.subarray(0, drawBelow(random, bytes.length))))
    assert.ok(!isWhole(Buffer.concat([bytes, Buffer.of(0)])))
  }
})

it(`damaged series that are called whole can be read (seed ${seed})`, () => {
  let refused = 0
  let read = 0
  const cases = amount(3000, 20_000)
  for (let n = 0; n < cases; n++) {
    const { bytes } = drawSeries()
    for (let flips = 1 + drawBelow(random, 3); flips > 0; flips--) {
      bytes[drawBelow(random, bytes.length)]! ^= 1 << drawBelow(random, 8)
    }
    const check = new SeriesCheck()
    if (check.isWhole(bytes, 0, bytes.length)) {
      assert.equal(readAll(bytes), check.rows)
      read++
    } else refused++
  }
  assert.ok(read > cases / 20 && refused > cases / 20, `${read} read, ${refused} refused`)
})

it('days before 1990, after 2099 and prices above the bound are refused', () => {
  const of = (day: number, days: number, cents: number) => {
    const writer = new SeriesWriter(64)
    writer.run(day, days, cents, unknownPrice, 1)
    writer.end()
    return isWhole(writer.bytes)
  }
  assert.deepEqual(
    [of(lastDay, 1, 1), of(lastDay + 1, 1, 1), of(firstDay + 9, 10, 1), of(firstDay + 9, 11, 1)],
    [true, false, true, false],
  )
  assert.deepEqual([of(lastDay, 1, priceCentsMax), of(lastDay, 1, priceCentsMax + 1)], [true, false])
})
