/** Reads from a card's series how its price has changed. */

import { change } from '../../../src/indexes/changes-file.ts'
import { noPrice } from '../../../src/indexes/lists-file.ts'
import { fromDays, periods, rangeDays, toDays } from '../../../src/indexes/price-change.ts'
import { codeEnd, codeGap, more, residualMore } from '../../../src/indexes/series/codec.ts'
import { afterCode, follows, stepOfCode } from '../../../src/indexes/series/codes.ts'
import { type ByteSource, readVarint, skipVarint, unzigzag } from '../../../src/indexes/series/varint.ts'

/** By index in a card's numbers: the window whose price it is, in days before the newest day, both inclusive. */
const windows = [
  { newest: 0, oldest: toDays - 1 },
  ...periods.map(({ days }) => ({ newest: days, oldest: days + fromDays - 1 })),
]
const newest = Int32Array.from(windows, (window) => window.newest)
const oldest = Int32Array.from(windows, (window) => window.oldest)
const oldestOfAll = Math.max(rangeDays - 1, ...oldest)
const never = 0x7fffffff
/** By a byte of two residuals: 1 if either is longer than its half byte. */
const isLong = Uint8Array.from({ length: 256 }, (_, halves) =>
  Number((halves & 15) === residualMore || halves >> 4 === residualMore),
)

/** Reads only market prices, and skips low and high, which take SeriesReader most of its time. */
export class ChangesReader implements ByteSource {
  readonly #asOf: number
  #bytes: Uint8Array = new Uint8Array(0)
  #at = 0

  /** @param asOf the newest day of all series */
  constructor(asOf: number) {
    this.#asOf = asOf
  }

  /** Writes the numbers of the card whose series is from `start` to `end` into `changes`, at `offset`. */
  read(bytes: Uint8Array, start: number, end: number, changes: Uint32Array, offset: number): void {
    for (let i = offset; i < offset + change.size; i++) changes[i] = noPrice
    if (start === end) return
    this.#bytes = bytes
    this.#at = start
    // Days from the run's newest day to the newest day of all.
    let age = this.#asOf - unzigzag(readVarint(this))
    let market = this.#row()
    let at = this.#at
    let window = 0
    let nextWindow = newest[0]!
    let high = -1
    let low = noPrice
    let highAge = 0
    let lowAge = 0
    for (;;) {
      const byte = bytes[at++]!
      let code = byte >> 3
      let days = 1 + (byte & more)
      if (days > more) {
        this.#at = at
        days += readVarint(this)
        at = this.#at
      }
      if (market >= 0) {
        if (age < rangeDays) {
          if (market > high) {
            high = market
            highAge = age
          }
          if (market < low) {
            low = market
            lowAge = age
          }
        }
        while (age + days > nextWindow) {
          if (age <= oldest[window]!) changes[offset + window] = market
          nextWindow = ++window < newest.length ? newest[window]! : never
        }
      }
      age += days
      if (code === codeEnd || age > oldestOfAll) break
      if (code === codeGap) {
        const second = bytes[at++]!
        age += 1 + (second & more)
        code = second >> 3
        if ((second & more) === more) {
          this.#at = at
          age += readVarint(this)
          at = this.#at
        }
      }
      const next = afterCode[code]!
      if (next & follows.row) {
        this.#at = at
        market = this.#row()
        at = this.#at
        continue
      }
      // The next code is unpredictable. So a step and residuals of a byte each are read without a branch.
      const hasStep = next & follows.step
      const step = bytes[at]! & -hasStep
      at += hasStep
      const hasResiduals = (next & follows.residuals) >> 1
      if (step < 0x80) {
        const halves = bytes[at]!
        at += hasResiduals
        market += stepOfCode[code]! + unzigzag(step)
        if ((hasResiduals & isLong[halves]!) === 0) continue
        this.#at = at
        this.#skipLong(halves)
      } else {
        this.#at = at - 1
        market += unzigzag(readVarint(this))
        if (hasResiduals) this.#skipLong(this.nextByte())
      }
      at = this.#at
    }
    if (high < 0) return
    changes[offset + change.high] = high
    changes[offset + change.low] = low
    changes[offset + change.days] = (highAge << 16) | lowAge
  }

  #skipLong(halves: number): void {
    if ((halves & 15) === residualMore) skipVarint(this)
    if (halves >> 4 === residualMore) skipVarint(this)
  }

  #row(): number {
    const flags = this.#bytes[this.#at++]!
    const market = flags & 1 ? readVarint(this) : -1
    if (flags & 2) skipVarint(this)
    if (flags & 4) skipVarint(this)
    return market
  }

  nextByte(): number {
    return this.#bytes[this.#at++]!
  }
}
