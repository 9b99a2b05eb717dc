/**
 * The beginning of a history row, in four steps of 8 bytes. Two tell the day, and are prepared for the days that were asked
 * for last; the others are the same for all.
 *
 *   {"date": │ "2026-11 │ -20","ma │ rket":░░     the last 2 bytes are overwritten by what follows
 *              └─ slot = day mod 4,096 ─┘
 *
 * So eleven years in a row have their places, in 64 KiB, however far the data reaches.
 */
import { dateOfDay, noDay } from '../calendar.ts'

/** The bytes that `write` may touch; the text itself is two shorter. */
export const dayTextBytes = 32
const textBytes = '{"date":"2026-11-20","market":'.length

const slots = 4096
const stepBytes = 8
/** The steps that tell the day. */
const daySteps = 2

/** ASCII, so none of the floats is a NaN, which a copy may change. */
const asNumber = (text: string): number => Buffer.from(text, 'latin1').readDoubleLE()
export const rowStart = asNumber('{"date":')
const beforeMarket = asNumber('rket":  ')

export class DayTexts {
  /** The steps that tell a day, from where `find` says. */
  readonly steps = new Float64Array(slots * daySteps)
  readonly #days = new Int32Array(slots).fill(noDay)

  /** Where in `steps` the day's are. */
  find(day: number): number {
    const slot = day & (slots - 1)
    if (this.#days[slot] !== day) this.#prepare(slot, day)
    return slot * daySteps
  }

  /** Writes the day's text at `at`; the position after it. */
  write(day: number, to: DataView, at: number): number {
    const step = this.find(day)
    to.setFloat64(at, rowStart, true)
    to.setFloat64(at + stepBytes, this.steps[step]!, true)
    to.setFloat64(at + 2 * stepBytes, this.steps[step + 1]!, true)
    to.setFloat64(at + 3 * stepBytes, beforeMarket, true)
    return at + textBytes
  }

  #prepare(slot: number, day: number): void {
    const text = `"${dateOfDay(day)}","ma`
    for (let i = 0; i < daySteps; i++) {
      this.steps[slot * daySteps + i] = asNumber(text.slice(i * stepBytes, (i + 1) * stepBytes))
    }
    this.#days[slot] = day
  }
}
