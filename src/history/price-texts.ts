/**
 * Prices as JSON numbers, as JSON.stringify(cents / 100) writes them. Those below 100 dollars, nearly all, are prepared:
 *
 *   cents * 8   the text, up to 5 bytes … 1 byte: how many they are
 *
 * The texts take 80 kB; others are written digit by digit.
 */
import { priceCharsMax } from '../limits.ts'

const preparedCents = 100_00
const slotBytes = 8
const sizeAt = slotBytes - 1
const digit0 = 0x30
const dot = 0x2e

/** What `write` may touch: the longest price, or a slot, of which the text may be a part. */
export const priceBytesMax = Math.max(priceCharsMax, slotBytes)

const unknown = new TextEncoder().encode('null')

export class PriceTexts {
  readonly #texts = new Uint8Array(preparedCents * slotBytes)
  readonly #view = new DataView(this.#texts.buffer)

  constructor() {
    for (let cents = 0; cents < preparedCents; cents++) {
      const at = cents * slotBytes
      this.#texts[at + sizeAt] = writeDigits(cents, this.#texts, at) - at
    }
  }

  /**
   * Writes the price at `at`, and up to 8 bytes in all; the position after it.
   * @param cents negative if unknown
   * @param view of the same memory as `bytes`
   */
  write(cents: number, bytes: Uint8Array, view: DataView, at: number): number {
    if (cents < 0) {
      for (let i = 0; i < unknown.length; i++) bytes[at + i] = unknown[i]!
      return at + unknown.length
    }
    if (cents >= preparedCents) return writeDigits(cents, bytes, at)
    const slot = cents * slotBytes
    // The text is ASCII, so the float is no NaN, which a copy may change.
    view.setFloat64(at, this.#view.getFloat64(slot, true), true)
    return at + this.#texts[slot + sizeAt]!
  }
}

/** The position after what was written. */
function writeDigits(cents: number, bytes: Uint8Array, start: number): number {
  const whole = (cents / 100) | 0
  const rest = cents - whole * 100
  let digits = 1
  for (let bound = 10; whole >= bound; bound *= 10) digits++
  let end = start + digits
  for (let at = end, left = whole; at > start; ) {
    const next = (left / 10) | 0
    bytes[--at] = digit0 + left - next * 10
    left = next
  }
  if (rest === 0) return end
  const tenths = (rest / 10) | 0
  bytes[end++] = dot
  bytes[end++] = digit0 + tenths
  if (rest !== tenths * 10) bytes[end++] = digit0 + rest - tenths * 10
  return end
}
