/**
 * Writes the body of a history as bytes. Each store writes eight bytes.
 *
 *   {"date": │ "2026-11 │ -20","ma │ rket":1. │ 5,"low": │ 1.25,"hi │ gh":2}, │
 *   └ fixed ─┘└ prepared by date ──┘└ written for the first row of a run; the run's other rows copy these bytes
 *
 * The last store of a text writes past the text's end, and the next text overwrites the surplus. The arrays belong to
 * the module and not to an object, because then V8 compiles their addresses and lengths into the code.
 */

import { dateOfDay, dayOfDate } from '../calendar.ts'
import { Csv } from '../catalog/card-fields.ts'
import { historyDateMax, historyDateMin, idCharsMax, priceCentsMax } from '../limits.ts'

/** How many characters the longest price has in JSON, such as `10000000.01`. */
const priceCharsMax = String(priceCentsMax / 100).length + '.01'.length

/**
 * A run of days with equal prices has five numbers: its newest day, how many days it has, and three prices in cents. An
 * unknown price is negative.
 */
export const runNumbers = 5

/** The first and the last day that a row may have. */
export const dayMin = dayOfDate(historyDateMin)
export const dayMax = dayOfDate(historyDateMax)
/** The most days of a series. */
export const daysMax = dayMax - dayMin + 1
const word = 8
/** The length of a row and its comma, without its prices. */
const pricelessBytes = '{"date":"YYYY-MM-DD","market":,"low":,"high":},'.length
/** The most bytes of a row, with the bytes that its last store may write past its end. */
const rowBytesMax = pricelessBytes + 3 * priceCharsMax + word
/** The most bytes of the texts before and after the rows. */
const aroundBytesMax = 4 * idCharsMax

// The array is large, but the system allocates only the memory pages that are written.
const bytes = new Uint8Array(aroundBytesMax + daysMax * rowBytesMax)
const view = new DataView(bytes.buffer)
/** The runs to write, newest first; run i starts at i × `runNumbers`. */
export const runs = new Int32Array(daysMax * runNumbers)

/** Eight bytes of text as a number. The text is ASCII, so the number is not a NaN, whose bits a copy may change. */
const asNumber = (text: string): number => Buffer.from(text.padEnd(word), 'latin1').readDoubleLE()
const startOfRow = asNumber('{"date":')
const beforeMarket = asNumber('rket":')
const beforeLow = asNumber(',"low":')
const beforeHigh = asNumber(',"high":')

/** The two prepared words of each day. They are 0 until a row of that day is written for the first time. */
const dayWords = new Float64Array(daysMax * 2)
const dayBytes = new Uint8Array(dayWords.buffer)
const dateChars = 'YYYY-MM-DD'.length

/** The texts of prices below 100 dollars are prepared, because nearly all prices are lower. */
const preparedCents = 100_00
const priceWords = new Float64Array(preparedCents)
const priceChars = new Uint8Array(preparedCents)
for (let cents = 0; cents < preparedCents; cents++) {
  const text = JSON.stringify(cents / 100)
  priceWords[cents] = asNumber(text)
  priceChars[cents] = text.length
}

/** The number of bytes of the rows that `writeRows` writes for the first `count` runs of `runs`. */
export function rowsBytes(count: number): number {
  let bytes = count > 0 ? -1 : 0
  for (let run = 0; run < count * runNumbers; run += runNumbers) {
    const prices = priceLength(runs[run + 2]!) + priceLength(runs[run + 3]!) + priceLength(runs[run + 4]!)
    bytes += runs[run + 1]! * (pricelessBytes + prices)
  }
  return bytes
}

function priceLength(cents: number): number {
  if (cents < 0) return 'null'.length
  return cents < preparedCents ? priceChars[cents]! : JSON.stringify(cents / 100).length
}

/**
 * Writes the texts `before`, then the rows of the first `count` runs of `runs`, and then the text `after`. Rows are
 * separated by commas, and the earliest day comes first. The bytes are valid until the next call.
 * @param before ASCII
 * @param after ASCII
 */
export function writeRows(before: readonly string[], count: number, after: string): Uint8Array {
  let at = 0
  for (let i = 0; i < before.length; i++) at = writeText(before[i]!, at)
  for (let run = (count - 1) * runNumbers; run >= 0; run -= runNumbers) at = writeRun(run, at)
  // No comma follows the last row.
  return bytes.subarray(0, writeText(after, count > 0 ? at - 1 : at))
}

// Each function below returns the position after the text that it wrote.

function writeRun(run: number, start: number): number {
  const last = wordOfDay(runs[run]!)
  let day = last - (runs[run + 1]! - 1) * 2
  for (let i = day; i <= last; i += 2) if (dayWords[i] === 0) prepareDay(i)
  writeDay(day, start)
  view.setFloat64(start + 24, beforeMarket, true)
  let at = writePrice(runs[run + 2]!, start + 30)
  view.setFloat64(at, beforeLow, true)
  at = writePrice(runs[run + 3]!, at + 7)
  view.setFloat64(at, beforeHigh, true)
  at = writePrice(runs[run + 4]!, at + 8)
  bytes[at++] = 0x7d
  bytes[at++] = 0x2c
  const rowBytes = at - start
  if (day === last) return at
  // Most rows have at most 64 bytes. Their words are read only once, and then stay in registers.
  const a = view.getFloat64(start + 24, true)
  const b = view.getFloat64(start + 32, true)
  const c = view.getFloat64(start + 40, true)
  const d = view.getFloat64(start + 48, true)
  const e = view.getFloat64(start + 56, true)
  while (day < last) {
    day += 2
    writeDay(day, at)
    view.setFloat64(at + 24, a, true)
    view.setFloat64(at + 32, b, true)
    view.setFloat64(at + 40, c, true)
    view.setFloat64(at + 48, d, true)
    view.setFloat64(at + 56, e, true)
    for (let k = 64; k < rowBytes; k += word) view.setFloat64(at + k, view.getFloat64(start + k, true), true)
    at += rowBytes
  }
  return at
}

/**
 * Writes the rows of the first `count` runs of `runs` as CSV, after a header row. The bytes are valid until the next
 * call.
 */
export function writeCsvRows(count: number): Csv {
  let rows = 0
  let at = writeText('date,market,low,high\r\n', 0)
  for (let run = (count - 1) * runNumbers; run >= 0; run -= runNumbers) {
    const last = wordOfDay(runs[run]!)
    rows += runs[run + 1]!
    for (let day = last - (runs[run + 1]! - 1) * 2; day <= last; day += 2) {
      if (dayWords[day] === 0) prepareDay(day)
      // The two words of a day begin with a quotation mark, and the date follows it.
      for (let i = 0; i < dateChars; i++) bytes[at++] = dayBytes[day * word + 1 + i]!
      for (let price = 2; price < runNumbers; price++) {
        bytes[at++] = 0x2c
        const cents = runs[run + price]!
        if (cents >= 0) at = writePrice(cents, at)
      }
      at = writeText('\r\n', at)
    }
  }
  return new Csv(bytes.subarray(0, at), rows)
}

const wordOfDay = (day: number): number => (day - dayMin) * 2

function prepareDay(word: number): void {
  const text = `"${dateOfDay(word / 2 + dayMin)}","ma`
  dayWords[word] = asNumber(text.slice(0, 8))
  dayWords[word + 1] = asNumber(text.slice(8))
}

function writeDay(word: number, at: number): void {
  view.setFloat64(at, startOfRow, true)
  view.setFloat64(at + 8, dayWords[word]!, true)
  view.setFloat64(at + 16, dayWords[word + 1]!, true)
}

/** Writes the price as JSON.stringify(cents / 100) does, or `null` for a negative number. */
function writePrice(cents: number, at: number): number {
  if (cents < 0) return writeText('null', at)
  if (cents >= preparedCents) return writeText(JSON.stringify(cents / 100), at)
  view.setFloat64(at, priceWords[cents]!, true)
  return at + priceChars[cents]!
}

function writeText(text: string, start: number): number {
  for (let i = 0; i < text.length; i++) bytes[start + i] = text.charCodeAt(i)
  return start + text.length
}
