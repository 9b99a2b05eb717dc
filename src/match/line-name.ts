/**
 * Reads the name of a line in several ways. If the name contains a number, the number may be the card's own, and then
 * it does not belong to the name:
 *
 *   Duskull (60)   →   duskull, marker 60     for cards with another number
 *                      duskull                for the card with number 60
 *
 * The first reading is the name as it stands. Each further reading lacks one text that may be a number. There are at
 * most `readingsMax` readings.
 */
import type { ListsFile } from '../indexes/lists-file.ts'
import { type Identity, identityOf } from '../names/identity.ts'
import { bareNumber, foldNumber, numberForms, possibleNumbers, withoutNumber } from '../names/numbers.ts'
import { numberText } from '../search/scope/number-index.ts'
import type { TextTable } from '../search/scope/text-table.ts'

/** Names of cards have at most two texts that may be numbers. TCGplayer's names of products have at most four. */
const readingsMax = 6

export type Reading = Identity

/** A key, and all readings that have the key. The key's cards are looked up once for all of them. */
interface Key {
  readonly key: string
  readonly readings: Reading[]
}

export class LineName {
  readonly text: string
  readonly asGiven: Reading
  readonly keys: Key[]
  /**
   * A match looks for typos in this key alone. It is the key of the name as given. But if a text in the name is the
   * number of some card, it is the key of the name without that text. If there are several such texts, it is the
   * shortest of these keys.
   */
  keyForTypos: Key
  readonly #lists: ListsFile
  readonly #numbers: TextTable
  /** By bare number: the reading that lacks it. Undefined if the name contains no text that may be a number. */
  #byNumber: Map<string, Reading> | undefined
  /** By index of a number: the results of `readingFor` so far. */
  #known: Map<number, Reading> | undefined

  /** @param numbers the folded numbers of cards */
  constructor(text: string, lists: ListsFile, numbers: TextTable) {
    this.text = text
    this.#lists = lists
    this.#numbers = numbers
    this.asGiven = identityOf(text)
    this.keyForTypos = { key: this.asGiven.key, readings: [this.asGiven] }
    this.keys = [this.keyForTypos]
    const parts = possibleNumbers(text)
    if (parts.length > 0) this.#read(parts)
  }

  #read(parts: readonly string[]): void {
    const byText = new Map([[this.text, this.asGiven]])
    this.#byNumber = new Map()
    this.#known = new Map()
    for (const part of parts) {
      if (byText.size === readingsMax) break
      const isNumber = this.#numbers.find(foldNumber(part)) !== -1
      if (!isNumber && !/\d/.test(part)) continue
      const number = bareNumber(part)
      const without = withoutNumber(this.text, number)
      let reading = byText.get(without)
      if (reading === undefined) {
        reading = identityOf(without)
        byText.set(without, reading)
        this.#add(reading)
      }
      this.#byNumber.set(number, reading)
      const { key } = reading
      if (isNumber && key.length < this.keyForTypos.key.length)
        this.keyForTypos = this.keys.find((one) => one.key === key)!
    }
  }

  #add(reading: Reading): void {
    const known = this.keys.find(({ key }) => key === reading.key)
    if (known === undefined) this.keys.push({ key: reading.key, readings: [reading] })
    else known.readings.push(reading)
  }

  /** Returns the reading for cards with that number. @param number the number's index */
  readingFor(number: number): Reading {
    if (this.#byNumber === undefined || this.#known === undefined) return this.asGiven
    let reading = this.#known.get(number)
    if (reading === undefined) {
      reading = this.#readingOf(numberText(this.#lists, number), this.#byNumber)
      this.#known.set(number, reading)
    }
    return reading
  }

  #readingOf(printed: string | null, byNumber: ReadonlyMap<string, Reading>): Reading {
    for (const form of printed === null ? [] : numberForms(printed)) {
      const reading = byNumber.get(form)
      if (reading !== undefined) return reading
    }
    return this.asGiven
  }
}
