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
import { partCards, partCardsShift } from '../limits.ts'
import type { HitPage } from '../search/search.ts'
import { AnswerBuffer, SharedText } from './answer-buffer.ts'
import type { Records } from './records.ts'

/** The first byte of every JSON body, and of no CSV. */
const jsonStart = 0x7b
const totalBytes = 4

/** A body as CSV. */
export class Csv {
  /** Valid as long as the bytes it was made of. */
  readonly body: Uint8Array
  /** The rows of all pages. */
  readonly total: number

  constructor(body: Uint8Array, total: number) {
    this.body = body
    this.total = total
  }

  /** The bytes to cache: the body, then the total. */
  get stored(): Uint8Array {
    const bytes = new Uint8Array(this.body.length + totalBytes)
    bytes.set(this.body)
    new DataView(bytes.buffer).setUint32(this.body.length, this.total)
    return bytes
  }

  /** A cached body, in either format. */
  static ofStored(bytes: Uint8Array): Uint8Array | Csv {
    if (bytes[0] === jsonStart) return bytes
    const { buffer, byteOffset, length } = bytes
    const bodyBytes = length - totalBytes
    return new Csv(bytes.subarray(0, bodyBytes), new DataView(buffer, byteOffset + bodyBytes).getUint32(0))
  }
}

const conditions = ['near_mint', 'lightly_played', 'moderately_played', 'heavily_played', 'damaged'] as const
/** The fields in their order; those of a mover follow. */
export const csvFields = [
  ...(['id', 'name', 'game', 'set', 'setCode', 'number', 'rarity', 'printing', 'currency'] as const),
  ...(['market', 'low', 'mid', 'high', ...conditions, 'updatedAt'] as const),
]
export const csvMoverFields = [...csvFields, ...(['period', 'from', 'to', 'amount', 'percent'] as const)]

const lineEnd = '\r\n'
const header = csvFields.join() + lineEnd
const moverHeader = csvMoverFields.join() + lineEnd

/** The keys before the values that make a row, in the order of the details. */
const textKeys = ['id', 'name', 'game', 'set', 'setCode', 'number', 'rarity'] as const
const priceKeys = ['market', 'low', 'mid', 'high'] as const
/** The bytes of `"key":` and of the comma or brace before it. */
const keyBytes = (key: string) => `,"${key}":`.length

const [quote, comma, backslash, brace, nullStart] = [0x22, 0x2c, 0x5c, 0x7d, 0x6e]
const isFormulaStart = Uint8Array.from({ length: 256 }, (_, byte) => Number('=+-@'.includes(String.fromCharCode(byte))))

/** A text as a field. */
function fieldOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export class CsvCards {
  readonly #details: Records
  readonly #extras: readonly { readonly source: SharedText; readonly at: Uint32Array }[]
  readonly #changes: ChangesFile['changes']
  readonly #answer = new AnswerBuffer()

  /** @param extras by part */
  constructor(details: Records, extras: readonly Texts[], { changes }: ChangesFile) {
    this.#details = details
    this.#extras = extras.map(({ bytes, at }) => ({ source: new SharedText(bytes), at }))
    this.#changes = changes
  }

  // Each body is valid until the next one.

  /** @param place of the card's details */
  card(place: number): Csv {
    this.#answer.start(header)
    this.#addCard(place)
    return new Csv(this.#answer.finish(lineEnd), 1)
  }

  page({ cards, count, total }: HitPage): Csv {
    const answer = this.#answer
    answer.start(header)
    for (let i = 0; i < count; i++) {
      this.#addCard(this.#details.place(cards[i]!))
      answer.addAscii(lineEnd)
    }
    return new Csv(answer.finish(''), total)
  }

  /** @param period index in `periods` */
  movers({ cards, count, total }: HitPage, period: number): Csv {
    const answer = this.#answer
    answer.start(moverHeader)
    for (let i = 0; i < count; i++) {
      this.#addCard(this.#details.place(cards[i]!))
      const at = cards[i]! * change.size
      const from = this.#changes[at + change.from + period]!
      const to = this.#changes[at + change.to]!
      const change_ = [from, to, to - from].map((cents) => cents / 100)
      answer.addAscii(`,${periods[period]!.name},${change_.join()},${percentTenths(from, to) / 10}${lineEnd}`)
    }
    return new Csv(answer.finish(''), total)
  }

  #addCard(place: number): void {
    const answer = this.#answer
    const details = this.#details
    const source = details.source(place)
    const { bytes } = source
    const start = details.start(place)
    const number = details.number(place)
    const extras = this.#extras[number >>> partCardsShift]!
    let at = start + cardStart.length
    for (const key of textKeys) at = this.#addValue(source, at + keyBytes(key))
    let atExtra = extras.at[number & (partCards - 1)]!
    for (const key of ['printing', 'currency']) atExtra = this.#addValue(extras.source, atExtra + keyBytes(key))
    at = endOfValue(bytes, at + keyBytes('image')) + keyBytes('prices')
    for (const key of priceKeys) at = this.#addValue(source, at + keyBytes(key))
    at += keyBytes('conditions')
    for (const key of conditions) {
      // Each condition has another first letter.
      if (bytes[at + 1] === quote && bytes[at + 2] === key.charCodeAt(0))
        at = this.#addValue(source, at + keyBytes(key))
      else answer.addAscii(',')
    }
    // The last field. Its text has neither escapes nor commas.
    const end = start + details.bytes(place) - cardEnd.length - '}'.length
    if (bytes[end - 1] === quote) answer.addBytes(source, bytes.lastIndexOf(quote, end - 2) + 1, end - 1)
  }

  /** Adds the text, the number or null at `start`, and a comma. Returns where it ends. */
  #addValue(source: SharedText, start: number): number {
    const answer = this.#answer
    const { bytes } = source
    if (bytes[start] !== quote) {
      const end = endOfValue(bytes, start)
      if (bytes[start] !== nullStart) answer.addBytes(source, start, end)
      answer.addAscii(',')
      return end
    }
    let end = start + 1
    let hasComma = false
    for (let byte = bytes[end]!; byte !== quote; byte = bytes[++end]!) {
      if (byte === backslash) return this.#addEscaped(source, start)
      if (byte === comma) hasComma = true
    }
    if (hasComma) answer.addAscii('"')
    if (isFormulaStart[bytes[start + 1]!] === 1) answer.addAscii("'")
    answer.addBytes(source, start + 1, end)
    answer.addAscii(hasComma ? '",' : ',')
    return end + 1
  }

  #addEscaped({ bytes }: SharedText, start: number): number {
    const end = endOfValue(bytes, start)
    const text: string = JSON.parse(Buffer.from(bytes.slice(start, end)).toString())
    const field = new SharedText(Buffer.from(`${fieldOf(text)},`))
    this.#answer.addBytes(field, 0, field.bytes.length)
    return end
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
