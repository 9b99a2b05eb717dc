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

/** No name of a card has as many texts that may be its number. */
const readingsMax = 6

export type Reading = Identity

export class LineName {
  readonly text: string
  readonly asGiven: Reading
  /** The readings of each key: one look at a key's cards is enough for all of them. */
  readonly byKey = new Map<string, Reading[]>()
  /** The key in which a typo is looked for: of the name without a number that a card has, if its name can have one. */
  readonly keyForTypos: string
  readonly #lists: ListsFile
  readonly #byNumber = new Map<string, Reading>()
  /** Answers of `readingFor` by the index of a number. */
  readonly #known = new Map<number, Reading>()

  constructor(text: string, lists: ListsFile) {
    this.text = text
    this.#lists = lists
    this.asGiven = identityOf(text)
    const readings = [this.asGiven]
    const byText = new Map([[text, this.asGiven]])
    let { key } = this.asGiven
    for (const part of possibleNumbers(text)) {
      if (readings.length === readingsMax) break
      const isNumber = numberIndex(lists, part) !== -1
      if (!isNumber && !/\d/.test(part)) continue
      const number = bareNumber(part)
      const without = withoutNumber(text, number)
      let reading = byText.get(without)
      if (reading === undefined) {
        reading = identityOf(without)
        byText.set(without, reading)
        readings.push(reading)
      }
      this.#byNumber.set(number, reading)
      if (isNumber && reading.key.length < key.length) key = reading.key
    }
    this.keyForTypos = key
    for (const reading of readings) {
      const others = this.byKey.get(reading.key)
      if (others === undefined) this.byKey.set(reading.key, [reading])
      else others.push(reading)
    }
  }

  /** The reading for cards with that number. @param number an index */
  readingFor(number: number): Reading {
    if (this.#byNumber.size === 0) return this.asGiven
    let reading = this.#known.get(number)
    if (reading === undefined) {
      reading = this.#readingOf(numberText(this.#lists, number))
      this.#known.set(number, reading)
    }
    return reading
  }

  #readingOf(printed: string | null): Reading {
    for (const form of printed === null ? [] : numberForms(printed)) {
      const reading = this.#byNumber.get(form)
      if (reading !== undefined) return reading
    }
    return this.asGiven
  }
}
