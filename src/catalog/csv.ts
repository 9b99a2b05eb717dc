/**
 * Cards as CSV by RFC 4180, a row a card, made of the texts that the build has rendered:
 *
 *   details  {"data":{"id":"pokemon-base1-004","name":"Blaine's \"Charizard\"",…,"prices":{"market":1.5,"low":null,…  …}}
 *   row               pokemon-base1-004,       "Blaine's ""Charizard""",    …,               1.5,        ,…
 *
 * Most values are copied as they are. A text with a comma gets quotation marks, one with an escape is decoded first. A text
 * that a spreadsheet would run as a formula gets an apostrophe.
 */

import { cardEnd, cardStart, type Texts } from '../indexes/cards-file.ts'
import { type ChangesFile, change } from '../indexes/changes-file.ts'
import { percentTenths, periods } from '../indexes/price-change.ts'
import { lineBytes, partCards, partCardsShift } from '../limits.ts'
import type { HitPage } from '../search/search.ts'
import { decimalCharsMax, writeDecimal } from './answer-buffer.ts'
import type { Records } from './records.ts'
import { conditions } from './views.ts'

/** The first byte of every JSON body, and of no CSV. */
const jsonStart = 0x7b
const totalBytes = 4

/** A body as CSV, in bytes that have the number of all pages' rows behind it: so it can be cached as it is. */
export class Csv {
  /** Valid as long as the bytes. */
  readonly stored: Uint8Array
  readonly body: Uint8Array

  private constructor(stored: Uint8Array) {
    this.stored = stored
    this.body = stored.subarray(0, stored.length - totalBytes)
  }

  /** The first `length` bytes. Writes `total`, the rows of all pages, behind them. */
  static of(bytes: Uint8Array, length: number, total: number): Csv {
    for (let i = 0; i < totalBytes; i++) bytes[length + i] = total >>> (8 * i)
    return new Csv(bytes.subarray(0, length + totalBytes))
  }

  /** A cached body, in either format. */
  static ofStored(bytes: Uint8Array): Uint8Array | Csv {
    return bytes[0] === jsonStart ? bytes : new Csv(bytes)
  }

  get total(): number {
    const { buffer, byteOffset, length } = this.body
    return new DataView(buffer, byteOffset + length).getUint32(0, true)
  }
}

/** The fields in their order; those of a mover follow. */
export const csvFields = [
  ...(['id', 'name', 'game', 'set', 'setCode', 'number', 'rarity', 'printing', 'currency'] as const),
  ...(['market', 'low', 'mid', 'high', ...conditions, 'updatedAt'] as const),
]
export const csvMoverFields = [...csvFields, ...(['period', 'from', 'to', 'amount', 'percent'] as const)]

const lineEnd = '\r\n'
const header = csvFields.join() + lineEnd
const periodFields = periods.map(({ name }) => `,${name},`)
const moverHeader = csvMoverFields.join() + lineEnd

/** No row is longer than twice its texts and so many bytes. */
const rowBytesMore = 256
const bufferBytes = 64 * 1024

/** The length of `"key":` and of the comma or brace before it. */
const keyBytes = (key: string) => `,"${key}":`.length
const textKeys = ['id', 'name', 'game', 'set', 'setCode', 'number', 'rarity'].map(keyBytes)
const extraKeys = ['printing', 'currency'].map(keyBytes)
const priceKeys = ['market', 'low', 'mid', 'high'].map(keyBytes)
const conditionKeys = conditions.map(keyBytes)
/** Each condition has another first letter. */
const conditionLetters = conditions.map((key) => key.charCodeAt(0))
const imageKey = keyBytes('image')
const pricesKey = keyBytes('prices')
const conditionsKey = keyBytes('conditions')

const [quote, apostrophe, comma, backslash, brace, nullStart] = [0x22, 0x27, 0x2c, 0x5c, 0x7d, 0x6e]
const isFormulaStart = Uint8Array.from({ length: 256 }, (_, byte) => Number('=+-@'.includes(String.fromCharCode(byte))))

/** A text as a field. One that a spreadsheet would take for a formula gets a `'` before it. */
export function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export class CsvCards {
  readonly #details: Records
  readonly #extras: readonly Texts[]
  readonly #changes: ChangesFile['changes']
  #bytes = new Uint8Array(bufferBytes)
  #length = 0

  /** @param extras by part */
  constructor(details: Records, extras: readonly Texts[], { changes }: ChangesFile) {
    this.#details = details
    this.#extras = extras
    this.#changes = changes
  }

  // Each body is valid until the next one.

  /** @param place of the card's details */
  card(place: number): Csv {
    this.#length = 0
    this.#addAscii(header)
    this.#addCard(place)
    this.#addAscii(lineEnd)
    return this.#csv(1)
  }

  page({ cards, count, total }: HitPage): Csv {
    this.#length = 0
    this.#addAscii(header)
    this.#prefetch(cards, count)
    for (let i = 0; i < count; i++) {
      this.#addCard(this.#details.place(cards[i]!))
      this.#addAscii(lineEnd)
    }
    return this.#csv(total)
  }

  /** @param period index in `periods` */
  movers({ cards, count, total }: HitPage, period: number): Csv {
    this.#length = 0
    this.#addAscii(moverHeader)
    this.#prefetch(cards, count)
    for (let i = 0; i < count; i++) {
      this.#addCard(this.#details.place(cards[i]!))
      const at = cards[i]! * change.size
      const from = this.#changes[at + change.from + period]!
      const to = this.#changes[at + change.to]!
      this.#addAscii(periodFields[period]!)
      this.#addDecimal(from, 100, ',')
      this.#addDecimal(to, 100, ',')
      this.#addDecimal(to - from, 100, ',')
      this.#addDecimal(percentTenths(from, to), 10, lineEnd)
    }
    return this.#csv(total)
  }

  #csv(total: number): Csv {
    return Csv.of(this.#bytes, this.#length, total)
  }

  /** As `AnswerBuffer` does before it copies. */
  #prefetch(cards: Uint32Array, count: number): void {
    let read = 0
    for (let i = 0; i < count; i++) {
      const place = this.#details.place(cards[i]!)
      const { bytes } = this.#details.source(place)
      const start = this.#details.start(place)
      const end = start + this.#details.bytes(place)
      for (let at = start; at < end; at += lineBytes) read |= bytes[at]!
    }
    // Keeps the compiler from removing the reads. The first row overwrites it.
    this.#bytes[this.#length] = read
  }

  #addCard(place: number): void {
    const details = this.#details
    const { bytes } = details.source(place)
    const start = details.start(place)
    const number = details.number(place)
    const extras = this.#extras[number >>> partCardsShift]!
    let atExtra = extras.at[number & (partCards - 1)]!
    this.#reserve(2 * (details.bytes(place) + extras.at[(number & (partCards - 1)) + 1]! - atExtra) + rowBytesMore)
    let at = start + cardStart.length
    for (let i = 0; i < textKeys.length; i++) at = this.#addValue(bytes, at + textKeys[i]!)
    for (let i = 0; i < extraKeys.length; i++) atExtra = this.#addValue(extras.bytes, atExtra + extraKeys[i]!)
    at = endOfValue(bytes, at + imageKey) + pricesKey
    for (let i = 0; i < priceKeys.length; i++) at = this.#addValue(bytes, at + priceKeys[i]!)
    at += conditionsKey
    for (let i = 0; i < conditionKeys.length; i++) {
      const isNext = bytes[at + 1] === quote && bytes[at + 2] === conditionLetters[i]
      if (isNext) at = this.#addValue(bytes, at + conditionKeys[i]!)
      else this.#bytes[this.#length++] = comma
    }
    // The last field, `updatedAt`, has neither escapes nor commas.
    const end = start + details.bytes(place) - cardEnd.length - '}'.length
    if (bytes[end - 1] !== quote) return
    for (at = end - 2; bytes[at] !== quote; ) at--
    while (++at < end - 1) this.#bytes[this.#length++] = bytes[at]!
  }

  /** Adds the text, the number or null at `start`, and a comma. Returns where it ends. */
  #addValue(bytes: Uint8Array, start: number): number {
    const own = this.#bytes
    let to = this.#length
    let at = start
    if (bytes[start] !== quote) {
      if (bytes[start] === nullStart) at += 'null'.length
      else for (let byte = bytes[at]!; byte !== comma && byte !== brace; byte = bytes[++at]!) own[to++] = byte
    } else {
      if (isFormulaStart[bytes[start + 1]!] === 1) own[to++] = apostrophe
      for (let byte = bytes[++at]!; byte !== quote; byte = bytes[++at]!) {
        if (byte === backslash || byte === comma) return this.#addQuoted(bytes, start)
        own[to++] = byte
      }
      at++
    }
    own[to++] = comma
    this.#length = to
    return at
  }

  /** The same for a text with commas or escapes. */
  #addQuoted(bytes: Uint8Array, start: number): number {
    const end = endOfValue(bytes, start)
    const field = Buffer.from(csvField(JSON.parse(Buffer.from(bytes.slice(start, end)).toString())))
    this.#bytes.set(field, this.#length)
    this.#length += field.length
    this.#bytes[this.#length++] = comma
    return end
  }

  #addDecimal(units: number, scale: 10 | 100, end: string): void {
    this.#reserve(decimalCharsMax)
    this.#length = writeDecimal(this.#bytes, this.#length, units, scale)
    this.#addAscii(end)
  }

  #addAscii(text: string): void {
    this.#reserve(text.length + totalBytes)
    for (let i = 0; i < text.length; i++) this.#bytes[this.#length++] = text.charCodeAt(i)
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const before = this.#bytes
    this.#bytes = new Uint8Array(2 * (this.#length + bytes))
    this.#bytes.set(before)
  }
}

/** Where the text, the number or null at `start` ends. */
function endOfValue(bytes: Uint8Array, start: number): number {
  let end = start
  if (bytes[start] !== quote) {
    while (bytes[end] !== comma && bytes[end] !== brace) end++
    return end
  }
  for (end++; bytes[end] !== quote; end++) if (bytes[end] === backslash) end++
  return end + 1
}
