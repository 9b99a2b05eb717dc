/**
 * Reads a card's line in the usual form without parsing it. Values are copied from its bytes into the rendered texts.
 *
 *   {"id":"pokemon-base1-004","game":"pokemon","name":"Charizard",…,"prices":{"market":350.12,"low":…},…}
 *         └─ id ────────────┘        └─ game ┘        └─ name ──┘                     └ market ┘
 *
 * The usual form is JSON.stringify of the fields in the order of the format: no space between tokens, no escape in a text, each
 * price with the fewest digits; unknown fields may be missing. All other lines go through JSON.parse and the schema (schema.ts),
 * which reports what is wrong. Each line that is accepted here passes the schema, too, and renders to the same bytes.
 */
import { conditions } from '../../src/api/schemas.ts'
import { gameSlugs } from '../../src/games.ts'
import { idCharsMax } from '../../src/limits.ts'
import { JsonCursor, keyOf, LastText, startsWith } from './json-cursor.ts'
import { isPrinting, isUtcTimestamp, isWebAddress } from './schema.ts'

/** Indexes of the values in `from` and `to`. */
export const id = 0
export const game = 1
export const name = 2
export const setCode = 3
export const number = 4
export const rarity = 5
export const image = 6
export const market = 7
export const low = 8
export const mid = 9
export const high = 10
export const graded = 11
export const sources = 12
export const updatedAt = 13
export const tcgplayerId = 14
export const printing = 15
export const scryfallId = 16
export const mtgjsonId = 17
/** The other conditions follow it. */
export const firstCondition = 18
const values = firstCondition + conditions.length

const keys = {
  id: keyOf('id'),
  game: keyOf('game'),
  name: keyOf('name'),
  setCode: keyOf('setCode'),
  number: keyOf('number'),
  rarity: keyOf('rarity'),
  image: keyOf('image'),
  prices: keyOf('prices'),
  conditions: keyOf('conditions'),
  graded: keyOf('graded'),
  sources: keyOf('sources'),
  updatedAt: keyOf('updatedAt'),
  tcgplayerId: keyOf('tcgplayerId'),
  printing: keyOf('printing'),
  scryfallId: keyOf('scryfallId'),
  mtgjsonId: keyOf('mtgjsonId'),
}
const priceKeys = ['market', 'low', 'mid', 'high'].map(keyOf)
const conditionKeys = conditions.map(keyOf)
const slugs = gameSlugs.map((slug) => Buffer.from(slug))

const comma = 0x2c
const hyphen = 0x2d
const slash = 0x2f
const colon = 0x3a
const openArray = 0x5b
const closeArray = 0x5d
const underscore = 0x5f
const openObject = 0x7b
const closeObject = 0x7d

const bytesLike = (form: RegExp) =>
  Uint8Array.from({ length: 256 }, (_, i) => Number(form.test(String.fromCharCode(i))))
const isOfId = bytesLike(/[a-z0-9._~-]/)
const isLetter = bytesLike(/[a-z]/)
const isDigit = bytesLike(/[0-9]/)
const isHexadecimal = bytesLike(/[0-9a-f]/)

const uuidChars = 36
const uuidHyphens = [8, 13, 18, 23]

/** A card with more is not in the usual form. */
const gradesMax = 64

export class CardLine extends JsonCursor {
  /** Each value's span, texts with their quotation marks; `from` is -1 if unknown. */
  readonly from = new Int32Array(values)
  readonly to = new Int32Array(values)
  /** The game's number. */
  game = 0
  /** Cents. */
  market: number | null = null
  readonly #setCode = new LastText(() => true)
  readonly #image = new LastText(isWebAddress)
  readonly #time = new LastText(isUtcTimestamp)
  readonly #printing = new LastText(isPrinting)
  readonly #grades = new Int32Array(gradesMax + 1)

  /** Reads the line from `start` to `end`, in UTF-8. False if it is not in the usual form; the values then mean nothing. */
  take(bytes: Buffer, start: number, end: number): boolean {
    this.bytes = bytes
    this.at = start
    this.from.fill(-1)
    this.market = null
    return this.#isCard() && this.at === end
  }

  get setCode(): string {
    return this.#setCode.text
  }

  /** YYYY-MM-DD, null if unknown. */
  get dateOfUpdate(): string | null {
    return this.from[updatedAt] === -1 ? null : this.#time.text.slice(0, 'YYYY-MM-DD'.length)
  }

  #isCard(): boolean {
    return (
      this.isByte(openObject) &&
      this.isKey(keys.id) &&
      this.#isId() &&
      this.isNextKey(keys.game) &&
      this.#isGame() &&
      this.isNextKey(keys.name) &&
      this.#isTextOf(name) &&
      this.#isVisible(this.from[name]! + 1, this.at - 1) &&
      this.isNextKey(keys.setCode) &&
      this.#isSetCode() &&
      (!this.isNextKey(keys.number) || this.isNull() || this.#isTextOf(number)) &&
      (!this.isNextKey(keys.rarity) || this.isNull() || this.#isTextOf(rarity)) &&
      (!this.isNextKey(keys.image) || this.isNull() || this.#isImage()) &&
      (!this.isNextKey(keys.prices) || this.isNull() || this.#isPrices()) &&
      (!this.isNextKey(keys.sources) || this.isNull() || this.#isSources()) &&
      (!this.isNextKey(keys.updatedAt) || this.isNull() || this.#isTime()) &&
      (!this.isNextKey(keys.tcgplayerId) || this.isNull() || this.#isProduct()) &&
      (!this.isNextKey(keys.printing) || this.isNull() || this.#isPrinting()) &&
      (!this.isNextKey(keys.scryfallId) || this.isNull() || this.#isUuidOf(scryfallId)) &&
      (!this.isNextKey(keys.mtgjsonId) || this.isNull() || this.#isUuidOf(mtgjsonId)) &&
      this.isByte(closeObject)
    )
  }

  #isTextOf(value: number): boolean {
    this.from[value] = this.at
    if (!this.isText()) return false
    this.to[value] = this.at
    return true
  }

  /** Not blank. Most texts begin with a visible ASCII character. */
  #isVisible(start: number, end: number): boolean {
    const first = this.bytes[start]!
    return (first > 0x20 && first < 0x7f) || this.bytes.toString('utf8', start, end).trim() !== ''
  }

  #isId(): boolean {
    if (!this.#isTextOf(id)) return false
    const start = this.from[id]! + 1
    const end = this.at - 1
    let at = start
    while (isOfId[this.bytes[at]!] === 1) at++
    return at === end && end - start <= idCharsMax
  }

  /** Most cards are of the game of the card before. */
  #isGame(): boolean {
    if (!this.#isTextOf(game)) return false
    if (!this.#hasSlug(this.game)) {
      this.game = Math.max(
        slugs.findIndex((_, other) => this.#hasSlug(other)),
        0,
      )
    }
    const slug = slugs[this.game]!
    const start = this.from[id]! + 1
    return this.#hasSlug(this.game) && startsWith(this.bytes, start, slug) && this.bytes[start + slug.length] === hyphen
  }

  #hasSlug(number: number): boolean {
    const slug = slugs[number]!
    const start = this.from[game]! + 1
    return this.at - 1 - start === slug.length && startsWith(this.bytes, start, slug)
  }

  #isSetCode(): boolean {
    if (!this.#isTextOf(setCode)) return false
    const start = this.from[setCode]! + 1
    return this.#isVisible(start, this.at - 1) && this.#setCode.isRight(this.bytes, start, this.at - 1)
  }

  /** Only the part up to the host is checked: any path is valid. */
  #isImage(): boolean {
    if (!this.#isTextOf(image)) return false
    const start = this.from[image]! + 1
    let path = start + 'https://'.length
    while (path < this.at && this.bytes[path] !== slash) path++
    return path < this.at && this.#image.isRight(this.bytes, start, path + 1)
  }

  #isTime(): boolean {
    return this.#isTextOf(updatedAt) && this.#time.isRight(this.bytes, this.from[updatedAt]! + 1, this.at - 1)
  }

  #isProduct(): boolean {
    this.from[tcgplayerId] = this.at
    const product = this.count()
    this.to[tcgplayerId] = this.at
    return product !== -1
  }

  #isPrinting(): boolean {
    return this.#isTextOf(printing) && this.#printing.isRight(this.bytes, this.from[printing]! + 1, this.at - 1)
  }

  #isUuidOf(value: number): boolean {
    if (!this.#isTextOf(value)) return false
    const start = this.from[value]! + 1
    if (this.at - 1 - start !== uuidChars) return false
    for (const place of uuidHyphens) if (this.bytes[start + place] !== hyphen) return false
    let digits = 0
    for (let i = 0; i < uuidChars; i++) digits += isHexadecimal[this.bytes[start + i]!]!
    return digits === uuidChars - uuidHyphens.length
  }

  #isPrices(): boolean {
    if (!this.isByte(openObject)) return false
    const first = this.at
    for (let i = 0; i < priceKeys.length; i++) {
      if (!this.#isKeyAfter(first, priceKeys[i]!) || this.isNull()) continue
      const cents = this.#isPriceOf(market + i)
      if (cents === -1) return false
      if (i === 0) this.market = cents
    }
    if (this.#isKeyAfter(first, keys.conditions) && !this.isNull() && !this.#isConditions()) return false
    if (this.#isKeyAfter(first, keys.graded) && !this.isNull() && !this.#isGraded()) return false
    return this.isByte(closeObject)
  }

  /** @param first where the object's first field starts */
  #isKeyAfter(first: number, key: Uint8Array): boolean {
    return this.at === first ? this.isKey(key) : this.isNextKey(key)
  }

  #isPriceOf(value: number): number {
    const start = this.at
    const cents = this.price()
    if (cents === -1) return -1
    this.from[value] = start
    this.to[value] = this.at
    return cents
  }

  #isConditions(): boolean {
    if (!this.isByte(openObject)) return false
    const first = this.at
    for (let i = 0; i < conditionKeys.length; i++) {
      if (!this.#isKeyAfter(first, conditionKeys[i]!) || this.isNull()) continue
      if (this.#isPriceOf(firstCondition + i) === -1) return false
    }
    return this.isByte(closeObject)
  }

  /** A repeated grade is not in the usual form. */
  #isGraded(): boolean {
    this.from[graded] = this.at
    if (!this.isByte(openObject)) return false
    let grades = 0
    while (this.bytes[this.at] !== closeObject) {
      if (grades === gradesMax || (grades > 0 && !this.isByte(comma))) return false
      const start = this.at
      if (!this.isText() || !this.#isGrade(start + 1, this.at - 1) || !this.isByte(colon)) return false
      const text = this.bytes.subarray(start, this.at)
      for (let i = 0; i < grades; i++) if (startsWith(this.bytes, this.#grades[i]!, text)) return false
      this.#grades[grades++] = start
      if (this.price() === -1) return false
    }
    this.to[graded] = ++this.at
    return true
  }

  /** Matches `gradeForm`. */
  #isGrade(start: number, end: number): boolean {
    const { bytes } = this
    let at = start
    while (isLetter[bytes[at]!] === 1) at++
    if (at === start) return false
    for (let i = 0; i < 2 && at < end; i++) {
      if (bytes[at] !== underscore || isDigit[bytes[at + 1]!] !== 1) return false
      at += isDigit[bytes[at + 2]!] === 1 ? 3 : 2
    }
    return at === end && isDigit[bytes[at - 1]!] === 1
  }

  #isSources(): boolean {
    this.from[sources] = this.at
    if (!this.isByte(openArray)) return false
    const first = this.at
    while (this.bytes[this.at] !== closeArray) {
      if (this.at !== first && !this.isByte(comma)) return false
      const start = this.at + 1
      if (!this.isText() || !this.#isVisible(start, this.at - 1)) return false
    }
    this.to[sources] = ++this.at
    return true
  }
}
