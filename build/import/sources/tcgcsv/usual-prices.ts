/**
 * Reads a prices file in TCGCSV's usual form from its bytes, in half the time of JSON.parse, without an object a row: an archive has
 * millions of prices.
 *
 *   {"success":true,"errors":[],"results":[{"productId":1,"lowPrice":0.1,"midPrice":0.51,"highPrice":25.51,
 *    "marketPrice":0.53,"directLowPrice":null,"subTypeName":"Holofoil"},…]}
 *
 * If anything differs (a space, another order, a third decimal), the whole file goes through the schema, which reports what is
 * wrong. Each row that is accepted here passes the schema, too.
 */
import { priceCentsMax } from '../../../../src/limits.ts'
import { unknownCents } from '../../catalog.ts'

const start = Buffer.from('{"success":true,"errors":[],"results":[')
const end = Buffer.from(']}')
const beforeProduct = Buffer.from('{"productId":')
const beforeSubType = Buffer.from(',"subTypeName":"')
const afterSubType = Buffer.from('"}')
const beforePrices = ['low', 'mid', 'high', 'market', 'directLow'].map((name) => Buffer.from(`,"${name}Price":`))
const unknown = Buffer.from('null')

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const dot = 0x2e
const digit0 = 0x30
const lastAscii = 0x7e
const productDigitsMax = 9
const wholeDigitsMax = 8
const unusual = -2

/** Columns of a file's rows, in cents or `unknownCents`. Rows beyond `length` are of earlier files. */
export class UsualPrices {
  length = 0
  product = new Int32Array(1024)
  low = new Int32Array(1024)
  mid = new Int32Array(1024)
  high = new Int32Array(1024)
  market = new Int32Array(1024)
  readonly subType: string[] = []
  readonly #subTypes: { readonly text: string; readonly bytes: Buffer }[] = []
  #bytes: Uint8Array = new Uint8Array()
  #at = 0

  /** False if the file is not in the usual form. */
  read(bytes: Buffer): boolean {
    this.length = 0
    this.#bytes = bytes
    this.#at = 0
    if (!this.#passes(start)) return false
    while (this.#row()) {
      if (this.#bytes[this.#at] === comma) this.#at++
      else return this.#passes(end) && this.#at === bytes.length
    }
    return this.length === 0 && this.#passes(end) && this.#at === bytes.length
  }

  #row(): boolean {
    if (!this.#passes(beforeProduct)) return false
    const product = this.#product()
    if (product === unusual) return false
    const low = this.#price(0)
    const mid = this.#price(1)
    const high = this.#price(2)
    const market = this.#price(3)
    const directLow = this.#price(4)
    if (low === unusual || mid === unusual || high === unusual || market === unusual || directLow === unusual)
      return false
    const subType = this.#subType()
    if (subType === undefined) return false
    const row = this.length++
    if (row >= this.product.length) this.#grow()
    this.product[row] = product
    this.low[row] = low
    this.mid[row] = mid
    this.high[row] = high
    this.market[row] = market
    this.subType[row] = subType
    return true
  }

  #passes(expected: Uint8Array): boolean {
    const bytes = this.#bytes
    const at = this.#at
    for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return false
    this.#at = at + expected.length
    return true
  }

  #product(): number {
    const from = this.#at
    const value = this.#digits(productDigitsMax)
    return value === unusual || value === 0 || this.#bytes[from] === digit0 ? unusual : value
  }

  /** A number of at most `digitsMax` digits, without a leading zero. */
  #digits(digitsMax: number): number {
    const bytes = this.#bytes
    const from = this.#at
    let at = from
    let value = 0
    for (let digit = bytes[at]! - digit0; digit >= 0 && digit <= 9; digit = bytes[++at]! - digit0)
      value = value * 10 + digit
    this.#at = at
    const count = at - from
    return count === 0 || count > digitsMax || (count > 1 && bytes[from] === digit0) ? unusual : value
  }

  #price(field: number): number {
    if (!this.#passes(beforePrices[field]!)) return unusual
    if (this.#passes(unknown)) return unknownCents
    const whole = this.#digits(wholeDigitsMax)
    if (whole === unusual) return unusual
    let cents = whole * 100
    if (this.#bytes[this.#at] === dot) {
      const tenths = this.#bytes[this.#at + 1]! - digit0
      if (!(tenths >= 0 && tenths <= 9)) return unusual
      cents += tenths * 10
      this.#at += 2
      const hundredths = this.#bytes[this.#at]! - digit0
      if (hundredths >= 0 && hundredths <= 9) {
        cents += hundredths
        this.#at++
      }
    }
    return cents <= priceCentsMax ? cents : unusual
  }

  /** There are few sub-types, so the known ones are compared before a new string is made. */
  #subType(): string | undefined {
    if (!this.#passes(beforeSubType)) return undefined
    const from = this.#at
    for (const { text, bytes } of this.#subTypes) {
      if (this.#passes(bytes)) return text
      this.#at = from
    }
    let at = from
    for (let byte = this.#bytes[at]!; byte !== quote; byte = this.#bytes[++at]!) {
      if (!(byte >= 0x20 && byte <= lastAscii) || byte === backslash) return undefined
    }
    const text = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + from, at - from).toString('latin1')
    this.#at = at
    if (text.trim() === '' || !this.#passes(afterSubType)) return undefined
    this.#subTypes.push({ text, bytes: Buffer.from(`${text}"}`, 'latin1') })
    return text
  }

  #grow(): void {
    const grown = (column: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> => {
      const larger = new Int32Array(column.length * 2)
      larger.set(column)
      return larger
    }
    this.product = grown(this.product)
    this.low = grown(this.low)
    this.mid = grown(this.mid)
    this.high = grown(this.high)
    this.market = grown(this.market)
  }
}
