/**
 * Reads a prices file in TCGCSV's usual form from its bytes, in half the time of JSON.parse, without an object a row: an archive has
 * millions of prices.
 *
 *   {"success":true,"errors":[],"results":[{"productId":1,"lowPrice":0.1,"midPrice":0.51,"highPrice":25.51,
 *    "marketPrice":0.53,"directLowPrice":null,"subTypeName":"Holofoil"},…]}
 *
 * If anything differs (a space, another order, a trailing zero, a third decimal), the whole file goes through the schema, which reports what is
 * wrong. Each row that is accepted here passes the schema, too.
 */
import { JsonCursor } from '../../../read/json-cursor.ts'
import { unknownCents } from '../../catalog.ts'

const start = Buffer.from('{"success":true,"errors":[],"results":[')
const end = Buffer.from(']}')
const beforeProduct = Buffer.from('{"productId":')
const beforeSubType = Buffer.from(',"subTypeName":"')
const afterSubType = Buffer.from('"}')
const beforePrices = ['low', 'mid', 'high', 'market', 'directLow'].map((name) => Buffer.from(`,"${name}Price":`))

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const lastAscii = 0x7e
const productMax = 999_999_999
const unusual = -2

/** Columns of a file's rows, in cents or `unknownCents`. Rows beyond `length` are of earlier files. */
export class UsualPrices extends JsonCursor {
  length = 0
  product = new Int32Array(1024)
  low = new Int32Array(1024)
  mid = new Int32Array(1024)
  high = new Int32Array(1024)
  market = new Int32Array(1024)
  readonly subType: string[] = []
  readonly #subTypes: { readonly text: string; readonly bytes: Buffer }[] = []

  /** False if the file is not in the usual form. */
  read(bytes: Buffer): boolean {
    this.length = 0
    this.bytes = bytes
    this.at = 0
    if (!this.isKey(start)) return false
    while (this.#row()) if (!this.isByte(comma)) return this.#isEnd()
    return this.length === 0 && this.#isEnd()
  }

  #isEnd(): boolean {
    return this.isKey(end) && this.at === this.bytes.length
  }

  #row(): boolean {
    if (!this.isKey(beforeProduct)) return false
    const product = this.count()
    if (product === -1 || product > productMax) return false
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

  #price(field: number): number {
    if (!this.isKey(beforePrices[field]!)) return unusual
    if (this.isNull()) return unknownCents
    const cents = this.price()
    return cents === -1 ? unusual : cents
  }

  /** There are few sub-types, so the known ones are compared before a new string is made. */
  #subType(): string | undefined {
    if (!this.isKey(beforeSubType)) return undefined
    for (const { text, bytes } of this.#subTypes) if (this.isKey(bytes)) return text
    const from = this.at
    let at = from
    for (let byte = this.bytes[at]!; byte !== quote; byte = this.bytes[++at]!) {
      if (!(byte >= 0x20 && byte <= lastAscii) || byte === backslash) return undefined
    }
    const text = this.bytes.toString('latin1', from, at)
    this.at = at
    if (text.trim() === '' || !this.isKey(afterSubType)) return undefined
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
