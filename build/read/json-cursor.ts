/**
 * Goes over JSON in the usual form where it lies, as bytes: without spaces between tokens, escapes in texts, exponents. Each
 * method takes what stands next if it is what is asked for, else it is false, or -1, and the JSON is not as usual.
 */
import { priceCentsMax } from '../../src/limits.ts'

const quote = 0x22
const comma = 0x2c
const dot = 0x2e
const digit0 = 0x30
const backslash = 0x5c
const nullText = Buffer.from('null')

/** By byte: whether a text may hold it as it is. */
const isPlain = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte >= 0x20 && byte !== quote && byte !== backslash),
)

const wholeDigitsMax = String(priceCentsMax / 100).length
/** Below 2 ** 53, whatever they are. */
const countDigitsMax = 15

/** How a field begins. */
export const keyOf = (name: string): Uint8Array => Buffer.from(`"${name}":`)

export class JsonCursor {
  bytes: Buffer = Buffer.alloc(0)
  /** Where it is. */
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

  /** The same of a field that is not its object's first. */
  protected isNextKey(key: Uint8Array): boolean {
    if (this.bytes[this.at] !== comma || !startsWith(this.bytes, this.at + 1, key)) return false
    this.at += 1 + key.length
    return true
  }

  protected isNull(): boolean {
    return this.isKey(nullText)
  }

  /** A text that is not empty, with its quotation marks. */
  protected isText(): boolean {
    const { bytes } = this
    if (bytes[this.at] !== quote) return false
    const start = this.at + 1
    let at = start
    while (isPlain[bytes[at]!] === 1) at++
    if (bytes[at] !== quote || at === start) return false
    this.at = at + 1
    return true
  }

  /** A price in cents, if it is written with the fewest digits: 0, 12, 0.5, 12.34. */
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

/** -1 if there is none. */
function digitAt(bytes: Uint8Array, at: number): number {
  const digit = bytes[at]! - digit0
  return digit >= 0 && digit <= 9 ? digit : -1
}

export function startsWith(bytes: Uint8Array, at: number, beginning: Uint8Array): boolean {
  for (let i = 0; i < beginning.length; i++) if (bytes[at + i] !== beginning[i]) return false
  return true
}
