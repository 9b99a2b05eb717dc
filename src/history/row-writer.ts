/**
 * An answer of a history as JSON bytes, whose rows rows/rows.ts writes: WebAssembly, whose memory it stands in. There is one
 * for all of a thread, since an answer is sent before the next is written.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dateOfDay, dayOfDate } from '../calendar.ts'
import { historyDateMax, historyDateMin, idCharsMax, priceCharsMax } from '../limits.ts'

/** What the module gives: its memory's layout in bytes, and what writes rows into it. */
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
/** A global of all JavaScript, of which Node.js' types tell nothing. */
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
/** A run of equal days takes five numbers: its newest day, how many days, and the three prices in cents, negative if unknown. */
export const runNumbers = layout.runNumbers.value

assert(dayMin === dayOfDate(historyDateMin) && layout.daysMax.value === dayOfDate(historyDateMax) - dayMin + 1)
assert(layout.rowBytesMax.value >= '{"date":"2026-11-20","market":,"low":,"high":},'.length + 3 * priceCharsMax)
assert(
  layout.aroundBytesMax.value >= 4 * idCharsMax,
  'room for what is around the rows, and for what writing them touches',
)

export class RowWriter {
  /** The runs to write, newest first, from `runNumbers` times their index on; as many as there are days. */
  readonly runs = new Int32Array(buffer, layout.runsAt.value, layout.daysMax.value * runNumbers)
  readonly #bytes = new Uint8Array(buffer)
  #end = textAt
  // The days whose texts are in the memory.
  #firstDay = 0
  #lastDay = -1

  /** Drops what was there. */
  start(): void {
    this.#end = textAt
  }

  /** ASCII alone. */
  addText(text: string): void {
    for (let i = 0; i < text.length; i++) this.#bytes[this.#end + i] = text.charCodeAt(i)
    this.#end += text.length
  }

  /** Adds rows of the first `count` runs, at least one, from the earliest day on, with commas between them. */
  addRows(count: number): void {
    const { runs } = this
    const earliest = (count - 1) * runNumbers
    this.#prepareDays(runs[earliest]! - runs[earliest + 1]! + 1, runs[0]!)
    this.#end = writeRows(count, this.#end) - 1
  }

  /** The answer; it holds until the next `start`. */
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
