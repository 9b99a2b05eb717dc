/**
 * Daily prices as answers: a window is read from the card's series and written as JSON bytes, nothing in between.
 *
 *   {"data":{"cardId":"…","period":"30d","history":[ row , row ]}}
 *   row = {"date":"2026-11-20","market":  1.5,"low":null,"high":2}
 *         └── the day's bytes, prepared ┘ └─ once for each run of days with equal prices, then repeated ┘
 */

import assert from 'node:assert/strict'
import { dayOfDate } from '../calendar.ts'
import type { HistoryFile } from '../indexes/history-file.ts'
import { idCharsMax, partCards, partCardsShift } from '../limits.ts'
import { SeriesReader } from './codec.ts'
import { DayTexts, dayTextBytes, rowStart } from './day-texts.ts'
import { PriceTexts, priceBytesMax } from './price-texts.ts'

/** `1.5,"low":null,"high":2},` at its longest, and what copying in steps of 8 writes past its end. */
const pricesBytesMax = 3 * priceBytesMax + ',"low":,"high":},'.length + 8
const rowBytesMax = dayTextBytes + pricesBytesMax
/** What repeating a row writes at once, however short it is. */
const repeatedBytes = 64
assert(repeatedBytes <= rowBytesMax, 'what is written past a row stays in the room of one')

/** Eight bytes of text as one number to store; ASCII, so none of them is a NaN. */
const asNumber = (text: string): number => Buffer.from(text.padEnd(8), 'latin1').readDoubleLE()
const beforeLow = ',"low":'
const beforeLowNumber = asNumber(beforeLow)
const beforeHigh = ',"high":'
const beforeHighNumber = asNumber(beforeHigh)
const closeRow = 0x7d
const comma = 0x2c

const dayBeforeAll = dayOfDate('0000-01-01') - 1

/** A run of equal days takes five numbers: its newest day, how many days, and the three prices. */
const runNumbers = 5

export class History {
  readonly #parts: readonly HistoryFile[]
  readonly #asOfDay: number
  readonly #reader = new SeriesReader()
  readonly #dayTexts = new DayTexts()
  readonly #priceTexts = new PriceTexts()
  /** The window's runs, newest first. */
  #runs = new Int32Array(64 * runNumbers)
  #bytes = new Uint8Array(64 * 1024)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  /** @param asOfDay the newest day of the data, counted from 1970-01-01: every window ends there */
  constructor(parts: readonly HistoryFile[], asOfDay: number) {
    this.#parts = parts
    this.#asOfDay = asOfDay
  }

  /**
   * The answer's bytes, a view of a buffer that the next call writes anew.
   * @param card its number
   * @param label what tells the window, as JSON: `"period":"30d"`
   * @param days the window's calendar days, Infinity for all
   */
  body(card: number, id: string, label: string, days: number): Uint8Array {
    const runs = this.#readRuns(card, Math.max(this.#asOfDay - days, dayBeforeAll))
    this.#reserve(runs)
    this.#length = 0
    this.#text('{"data":{"cardId":"')
    this.#text(id)
    this.#text('",')
    this.#text(label)
    this.#text(',"history":[')
    for (let run = runs - 1; run >= 0; run--) this.#run(run * runNumbers)
    if (runs > 0) this.#length-- // the comma after the last row
    this.#text(']}}')
    return this.#bytes.subarray(0, this.#length)
  }

  /** How many runs of equal days the card has after the day `before`; they are in #runs. */
  #readRuns(card: number, before: number): number {
    const part = this.#parts[card >> partCardsShift]
    if (part === undefined) return 0
    const { at, series } = part
    const local = card & (partCards - 1)
    if (at[local] === at[local + 1]) return 0
    const reader = this.#reader
    reader.open(series, at[local]!)
    let count = 0
    do {
      const { day } = reader
      if (day <= before) break
      if (this.#runs.length < (count + 1) * runNumbers) this.#growRuns()
      const runs = this.#runs
      const i = count++ * runNumbers
      runs[i] = day
      runs[i + 1] = Math.min(reader.days, day - before)
      runs[i + 2] = reader.market
      runs[i + 3] = reader.low
      runs[i + 4] = reader.high
    } while (reader.next())
    return count
  }

  #growRuns(): void {
    const runs = new Int32Array(this.#runs.length * 2)
    runs.set(this.#runs)
    this.#runs = runs
  }

  /** Makes room for the longest answer that so many runs can give. */
  #reserve(runs: number): void {
    let rows = 0
    for (let run = 0; run < runs; run++) rows += this.#runs[run * runNumbers + 1]!
    const bytes = 8 * idCharsMax + rows * rowBytesMax
    if (bytes <= this.#bytes.length) return
    this.#bytes = new Uint8Array(2 * bytes)
    this.#view = new DataView(this.#bytes.buffer)
  }

  #run(i: number): void {
    const runs = this.#runs
    const newest = runs[i]!
    let day = newest - runs[i + 1]! + 1
    const bytes = this.#bytes
    const view = this.#view
    const prices = this.#priceTexts
    const start = this.#length
    let at = this.#dayTexts.write(day, view, start)
    at = prices.write(runs[i + 2]!, bytes, view, at)
    view.setFloat64(at, beforeLowNumber, true)
    at = prices.write(runs[i + 3]!, bytes, view, at + beforeLow.length)
    view.setFloat64(at, beforeHighNumber, true)
    at = prices.write(runs[i + 4]!, bytes, view, at + beforeHigh.length)
    bytes[at++] = closeRow
    bytes[at++] = comma
    if (day < newest) {
      const size = at - start
      const { steps } = this.#dayTexts
      const first = rowStart
      // Most rows fit in 64 bytes: eight numbers, of which those that do not tell the day are loaded once.
      const fourth = view.getFloat64(start + 24, true)
      const fifth = view.getFloat64(start + 32, true)
      const sixth = view.getFloat64(start + 40, true)
      const seventh = view.getFloat64(start + 48, true)
      const eighth = view.getFloat64(start + 56, true)
      while (++day <= newest) {
        const step = this.#dayTexts.find(day)
        view.setFloat64(at, first, true)
        view.setFloat64(at + 8, steps[step]!, true)
        view.setFloat64(at + 16, steps[step + 1]!, true)
        view.setFloat64(at + 24, fourth, true)
        view.setFloat64(at + 32, fifth, true)
        view.setFloat64(at + 40, sixth, true)
        view.setFloat64(at + 48, seventh, true)
        view.setFloat64(at + 56, eighth, true)
        for (let k = repeatedBytes; k < size; k += 8) view.setFloat64(at + k, view.getFloat64(start + k, true), true)
        at += size
      }
    }
    this.#length = at
  }

  /** ASCII alone. */
  #text(text: string): void {
    for (let i = 0; i < text.length; i++) this.#bytes[this.#length++] = text.charCodeAt(i)
  }
}
