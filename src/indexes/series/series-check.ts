/**
 * Verifies that series hold what SeriesReader (codec.ts) assumes. It walks over the tokens only. Decoding the prices, too,
 * took more than twice as long and found no more errors: any step leads to a plausible price.
 */

import { dayOfDate } from '../../calendar.ts'
import { historyDateMax, historyDateMin, priceCentsMax } from '../../limits.ts'
import { codeEnd, codeGap, codeSame, more, residualMore } from './codec.ts'
import { afterCode, follows } from './codes.ts'
import { type ByteSource, readVarint, skipVarint, unzigzag } from './varint.ts'

const firstDay = dayOfDate(historyDateMin)
const lastDay = dayOfDate(historyDateMax)

/** Totals of the series verified so far. */
export interface SeriesTotals {
  readonly rows: number
  /** -Infinity without any. */
  readonly newestDay: number
}

export class SeriesCheck implements ByteSource, SeriesTotals {
  rows = 0
  newestDay = Number.NEGATIVE_INFINITY
  #bytes: Uint8Array = new Uint8Array(0)
  #at = 0

  /** Verifies the series from `start` up to `end`, not empty. Bytes past the end read as 0, so every walk ends. */
  isWhole(bytes: Uint8Array, start: number, end: number): boolean {
    this.#bytes = bytes
    this.#at = start
    let day = unzigzag(readVarint(this))
    if (day > lastDay || !this.#isRow()) return false
    if (day > this.newestDay) this.newestDay = day
    while (this.#at < end) {
      const byte = bytes[this.#at++]!
      let code = byte >> 3
      const days = 1 + this.#count(byte & more)
      day -= days
      this.rows += days
      if (day + 1 < firstDay) return false
      if (code === codeEnd) return this.#at === end
      if (code === codeGap) {
        const second = bytes[this.#at++]!
        day -= 1 + this.#count(second & more)
        code = second >> 3
        if (code < codeSame) return false
      } else if (code === codeSame) return false
      const next = afterCode[code]!
      if (next === follows.wrong) return false
      if (next & follows.row && !this.#isRow()) return false
      if (next & follows.step) skipVarint(this)
      if (next & follows.residuals) {
        const halves = bytes[this.#at++]!
        if ((halves & 15) === residualMore) skipVarint(this)
        if (halves >> 4 === residualMore) skipVarint(this)
      }
    }
    return false
  }

  #isRow(): boolean {
    const flags = this.#bytes[this.#at++]!
    if (flags > 7) return false
    for (let bit = 1; bit < 8; bit *= 2) if (flags & bit && readVarint(this) > priceCentsMax) return false
    return true
  }

  #count(low: number): number {
    return low === more ? more + readVarint(this) : low
  }

  nextByte(): number {
    return this.#bytes[this.#at++]!
  }
}
