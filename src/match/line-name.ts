/**
 * A line's name, read in each way that a card's number allows. A number in a name belongs to it, unless it is the card's own:
 *
 *   Duskull (60)   →   duskull, marker 60     for cards with another number
 *                      duskull                for the card with number 60
 *
 * The first reading is the name as it stands. Each other one lacks a text that may be a number, so there are at most `readingsMax`.
 */
import type { ListsFile } from '../indexes/lists-file.ts'
import { type Identity, identityOf } from '../names/identity.ts'
import { bareNumber, numberForms, possibleNumbers, withoutNumber } from '../names/numbers.ts'
import { numberIndex, numberText } from '../search/scope/number-index.ts'

/** Names of cards have two texts at most that may be numbers, and as products of TCGplayer four. */
const readingsMax = 6

export type Reading = Identity

/** One look at a key's cards is enough for all readings that have it. */
interface Key {
  readonly key: string
  readonly readings: Reading[]
}

export class LineName {
  readonly text: string
  readonly asGiven: Reading
  readonly keys: Key[]
  /** The one in which a typo is looked for: of the name without a number that a card has, if its name can have one. */
  keyForTypos: Key
  readonly #lists: ListsFile
  /** Readings by the number that they lack; undefined if the name has none. */
  #byNumber: Map<string, Reading> | undefined
  /** Answers of `readingFor` by the index of a number. */
  #known: Map<number, Reading> | undefined

  constructor(text: string, lists: ListsFile) {
    this.text = text
    this.#lists = lists
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
      const isNumber = numberIndex(this.#lists, part) !== -1
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

  /** The reading for cards with that number. @param number an index */
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
