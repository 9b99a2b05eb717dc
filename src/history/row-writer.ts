/**
 * Writes the body of a history. WebAssembly (rows/rows.ts) writes the rows into its own memory, which holds the whole body.
 * A thread has one writer: a body is sent before the next is written.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dateOfDay, dayOfDate } from '../calendar.ts'
import { historyDateMax, historyDateMin, idCharsMax, priceCharsMax } from '../limits.ts'

/** Exports of the module: the layout of its memory in bytes, and `writeRows`. */
interface Rows {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly dayMin: Global
  readonly daysMax: Global
  readonly dayBytes: Global
  readonly runNumbers: Global
  readonly rowBytesMax: Global
  readonly aroundBytesMax: Global
  readonly daysAt: Global
  readonly runsAt: Global
  readonly textAt: Global
  /** @returns the position after the rows of the first `runs` runs, of which the last is the earliest */
  readonly writeRows: (runs: number, at: number) => number
}
interface Global {
  readonly value: number
}
/** Missing in the types of Node.js. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: object }
}

const module = new WebAssembly.Module(readFileSync(new URL('rows.wasm', import.meta.url)))
const { exports } = new WebAssembly.Instance(module)
const { memory, writeRows, ...layout } = exports as Rows
const { buffer } = memory

const dayMin = layout.dayMin.value
const dayBytes = layout.dayBytes.value
const daysAt = layout.daysAt.value
const textAt = layout.textAt.value
/** Numbers of a run of equal days: newest day, count of days, and three prices in cents, negative if unknown. */
export const runNumbers = layout.runNumbers.value

assert(dayMin === dayOfDate(historyDateMin) && layout.daysMax.value === dayOfDate(historyDateMax) - dayMin + 1)
assert(layout.rowBytesMax.value >= '{"date":"2026-11-20","market":,"low":,"high":},'.length + 3 * priceCharsMax)
assert(
  layout.aroundBytesMax.value >= 4 * idCharsMax,
  'room for the text around the rows, and for bytes written past them',
)

export class RowWriter {
  /** The runs to write, newest first; run i starts at i × `runNumbers`. */
  readonly runs = new Int32Array(buffer, layout.runsAt.value, layout.daysMax.value * runNumbers)
  readonly #bytes = new Uint8Array(buffer)
  #end = textAt
  // The days whose texts are prepared.
  #firstDay = 0
  #lastDay = -1

  /** Starts a new body. */
  start(): void {
    this.#end = textAt
  }

  /** @param text ASCII only */
  addText(text: string): void {
    for (let i = 0; i < text.length; i++) this.#bytes[this.#end + i] = text.charCodeAt(i)
    this.#end += text.length
  }

  /** Adds the rows of the first `count` runs, at least one, earliest day first, separated by commas. */
  addRows(count: number): void {
    const { runs } = this
    const earliest = (count - 1) * runNumbers
    this.#prepareDays(runs[earliest]! - runs[earliest + 1]! + 1, runs[0]!)
    this.#end = writeRows(count, this.#end) - 1
  }

  /** The body, valid until the next `start`. */
  finish(): Uint8Array {
    return this.#bytes.subarray(textAt, this.#end)
  }

  #prepareDays(from: number, to: number): void {
    if (this.#lastDay < this.#firstDay) {
      this.#firstDay = from
      this.#lastDay = from - 1
    }
    while (this.#firstDay > from) this.#prepareDay(--this.#firstDay)
    while (this.#lastDay < to) this.#prepareDay(++this.#lastDay)
  }

  #prepareDay(day: number): void {
    const text = `"${dateOfDay(day)}","ma`
    const at = daysAt + (day - dayMin) * dayBytes
    for (let i = 0; i < dayBytes; i++) this.#bytes[at + i] = text.charCodeAt(i)
  }
}
