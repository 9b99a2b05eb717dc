/**
 * A line's name, read in each way that a card's number allows. A number in a name belongs to it, unless it is the card's own:
 *
 *   Duskull (60)   →   duskull, marker 60     for cards with another number
 *                      duskull                for the card with number 60
 */
import type { ListsFile } from '../indexes/lists-file.ts'
import { type Identity, identityOf } from '../names/identity.ts'
import { isAmong, possibleNumbers, withoutNumber } from '../names/numbers.ts'
import { numberIndex, numberText } from '../search/scope/number-index.ts'

export interface Reading {
  readonly identity: Identity
  readonly text: string
}

export class LineName {
  readonly text: string
  /** The name as it stands first, then without each number that may be a card's. */
  readonly readings: Reading[]
  readonly #lists: ListsFile
  readonly #numbers: readonly string[]
  /** Answers of `textFor` by the index of a number. */
  #texts: Map<number, string> | undefined

  constructor(text: string, lists: ListsFile) {
    this.text = text
    this.#lists = lists
    this.#numbers = possibleNumbers(text).filter((part) => /\d/.test(part) || numberIndex(lists, part) !== -1)
    this.readings = [{ identity: identityOf(text), text }]
    const texts = new Set(this.#numbers.map((number) => withoutNumber(text, number)))
    texts.delete(text)
    for (const one of texts) this.readings.push({ identity: identityOf(one), text: one })
  }

  /** The text of the reading for cards with that number. @param number an index */
  textFor(number: number): string {
    if (this.#numbers.length === 0) return this.text
    this.#texts ??= new Map()
    let text = this.#texts.get(number)
    if (text === undefined) {
      const printed = numberText(this.#lists, number)
      text = printed !== null && isAmong(printed, this.#numbers) ? withoutNumber(this.text, printed) : this.text
      this.#texts.set(number, text)
    }
    return text
  }
}
