/**
 * Finds the cards of a line whose name is what is printed on a card:
 *
 *   OP01-016                  a number with its set's code
 *   SV2a 006/165              a set's code and a number
 *   SV2a, number 006/165      the same in two fields
 */
import type { ListsFile } from '../indexes/lists-file.ts'
import type { SearchFile } from '../indexes/search-file.ts'
import { foldCode } from '../names/fold.ts'
import { totalOf } from '../names/numbers.ts'
import { numberIndex } from '../search/scope/number-index.ts'
import type { SetWords } from '../search/set-words.ts'
import type { Wanted } from './line.ts'

/**
 * A number that begins with its set's code and a hyphen, as in `OP01-016` and `LOB-EN001`. Few cards share one.
 */
const withCode = /^[A-Z]{1,5}\d{0,3}-[A-Z0-9_]{1,12}$/i
/** One word, or a word and a number whose slash may have blanks around it. */
const codeAndNumber = /^\s*(\S{1,40})(?:\s+([^\s/]{1,20}(?:\s*\/\s*[^\s/]{1,20})?))?\s*$/

interface Printed {
  /** Card indexes. */
  readonly cards: Uint32Array
  /** The total after the number's slash; undefined if there is none. */
  readonly total: string | undefined
}

const nothing: Printed = { cards: new Uint32Array(), total: undefined }

export class PrintedNames {
  readonly #file: SearchFile
  readonly #lists: ListsFile
  readonly #setWords: SetWords

  constructor(file: SearchFile, lists: ListsFile, setWords: SetWords) {
    this.#file = file
    this.#lists = lists
    this.#setWords = setWords
  }

  /** @param wanted the line's number, which is used only if the name is a code alone */
  find(name: string, { number, total }: Pick<Wanted, 'number' | 'total'>): Printed {
    const own = withCode.test(name) ? numberIndex(this.#lists, name) : -1
    if (own !== -1) return { cards: this.#cardsOf(own), total }
    const [, code, behind] = codeAndNumber.exec(name) ?? []
    const place = behind === undefined ? number : numberIndex(this.#lists, behind)
    if (code === undefined || place === -1) return nothing
    const sets = this.#setWords.withCode(foldCode(code))
    if (sets.size === 0) return nothing
    const cards = this.#cardsOf(place).filter((card) => sets.has(this.#file.cardSet[card]!))
    return { cards, total: behind === undefined ? total : totalOf(behind) }
  }

  #cardsOf(number: number): Uint32Array {
    const { numberCards, numberCardsAt } = this.#lists
    return numberCards.subarray(numberCardsAt[number], numberCardsAt[number + 1])
  }
}
