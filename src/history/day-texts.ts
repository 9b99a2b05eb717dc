/**
 * The beginning of a history row, `{"date":"2026-11-20","market":`, prepared for the days that were asked for last.
 *
 *   slot = day mod 4,096   32 bytes: the text and 2 bytes that what follows overwrites
 *
 * So eleven years in a row have their places, in 128 KiB, however far the data reaches.
 */
import { dateOfDay, noDay } from '../calendar.ts'

/** The bytes that `write` may touch; the text itself is two shorter. */
export const dayTextBytes = 32

const slots = 4096
const textBytes = '{"date":"2026-11-20","market":'.length

export class DayTexts {
  readonly #texts = new Uint8Array(slots * dayTextBytes)
  readonly #view = new DataView(this.#texts.buffer)
  readonly #days = new Int32Array(slots).fill(noDay)

  /** Writes the day's text at `at`; the position after it. */
  write(day: number, to: DataView, at: number): number {
    const slot = day & (slots - 1)
    if (this.#days[slot] !== day) this.#prepare(slot, day)
    const from = slot * dayTextBytes
    // The bytes are ASCII, so none of the floats is a NaN, which a copy may change.
    to.setFloat64(at, this.#view.getFloat64(from, true), true)
    to.setFloat64(at + 8, this.#view.getFloat64(from + 8, true), true)
    to.setFloat64(at + 16, this.#view.getFloat64(from + 16, true), true)
    to.setFloat64(at + 24, this.#view.getFloat64(from + 24, true), true)
    return at + textBytes
  }

  #prepare(slot: number, day: number): void {
    const text = `{"date":"${dateOfDay(day)}","market":`
    new TextEncoder().encodeInto(text, this.#texts.subarray(slot * dayTextBytes))
    this.#days[slot] = day
  }
}
