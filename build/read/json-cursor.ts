/**
 * Scans JSON bytes in the usual form: no spaces between tokens, no escapes in texts, no exponents. Each method consumes the
 * next token if it is the expected one. Else it returns false or -1: the JSON is not in the usual form.
 */
import { priceCentsMax } from '../../src/limits.ts'

const dot = 0x2e
const digit0 = 0x30
const nullText = Buffer.from('null')

const wholeDigitsMax = String(priceCentsMax / 100).length
/** Any number of 15 digits is below 2 ** 53. */
const countDigitsMax = 15

export class JsonCursor {
  bytes: Buffer = Buffer.alloc(0)
  /** The offset of the next token. */
  at = 0

  protected isByte(byte: number): boolean {
    if (this.bytes[this.at] !== byte) return false
    this.at++
    return true
  }

  protected isKey(key: Uint8Array): boolean {
    if (!startsWith(this.bytes, this.at, key)) return false
    this.at += key.length
    return true
  }

  protected isNull(): boolean {
    return this.isKey(nullText)
  }

  /** A price with the fewest digits, in cents: 0, 12, 0.5, 12.34. */
  protected price(): number {
    const { bytes } = this
    const start = this.at
    let at = start
    let cents = 0
    for (let digit = digitAt(bytes, at); digit >= 0; digit = digitAt(bytes, at)) {
      cents = cents * 10 + digit
      at++
    }
    const digits = at - start
    if (digits === 0 || digits > wholeDigitsMax || (digits > 1 && bytes[start] === digit0)) return -1
    cents *= 100
    if (bytes[at] === dot) {
      const tenths = digitAt(bytes, at + 1)
      const hundredths = digitAt(bytes, at + 2)
      if (tenths < 0 || hundredths === 0 || (tenths === 0 && hundredths < 0)) return -1
      cents += tenths * 10 + Math.max(hundredths, 0)
      at += hundredths < 0 ? 2 : 3
    }
    this.at = at
    return cents <= priceCentsMax ? cents : -1
  }

  /** A whole number above 0. */
  protected count(): number {
    const start = this.at
    let count = 0
    for (let digit = digitAt(this.bytes, start); digit >= 0; digit = digitAt(this.bytes, this.at)) {
      count = count * 10 + digit
      this.at++
    }
    return this.bytes[start] === digit0 || this.at === start || this.at - start > countDigitsMax ? -1 : count
  }
}

/** -1 if it is no digit. */
function digitAt(bytes: Uint8Array, at: number): number {
  const digit = bytes[at]! - digit0
  return digit >= 0 && digit <= 9 ? digit : -1
}

function startsWith(bytes: Uint8Array, at: number, beginning: Uint8Array): boolean {
  for (let i = 0; i < beginning.length; i++) if (bytes[at + i] !== beginning[i]) return false
  return true
}
