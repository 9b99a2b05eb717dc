/** Reads a query's terms, of which each may match a card's name, set or number. */
import type { ListsFile } from '../indexes/lists-file.ts'
import { fold } from '../names/fold.ts'
import { joinedNumbers, totalOf } from '../names/numbers.ts'
import { numberIndex } from './scope/numbers.ts'
import type { SetWords } from './set-words.ts'
import type { Query, QueryWord } from './words/query.ts'
import type { Misspelling, Spelling } from './words/spelling.ts'

export interface AskedWord {
  /** Its index in the query's `words`. */
  readonly place: number
  readonly asked: QueryWord
  readonly sets: ReadonlySet<number>
  /** Sets with that code. */
  readonly coded: ReadonlySet<number>
  /** -1 if no card has that number. */
  readonly number: number
  /** Null if it must be as typed. */
  readonly misspelling: Misspelling | null
}

export interface Term {
  /** The index of the term as a collector's number, -1 if there is none. */
  readonly number: number
  readonly coded: ReadonlySet<number>
  /** None for a term with a slash. */
  readonly words: readonly AskedWord[]
}

const noSets: ReadonlySet<number> = new Set()
/** Signs around a number, as in `#4` and `(4/102)`. */
const signsBefore = /^[^\p{L}\p{N}]+/u
const signsAfter = /[^\p{L}\p{N}]+$/u
const wholeNumber = /^\d{1,9}$/
const letterOrDigit = /[\p{L}\p{N}]/u

/** The terms of a query. */
export interface Terms {
  readonly terms: readonly Term[]
  /** Of all terms. */
  readonly words: readonly AskedWord[]
  /** The number of a term that can only be a number, -1 if there is none. */
  readonly needed: number
  /** The number's total, -1 if it has none, or one that is no number. */
  readonly total: number
}

export class TermReader {
  readonly #lists: ListsFile
  readonly #setWords: SetWords
  readonly #spelling: Spelling

  constructor(lists: ListsFile, setWords: SetWords, spelling: Spelling) {
    this.#lists = lists
    this.#setWords = setWords
    this.#spelling = spelling
  }

  /** Undefined if a term matches no card, or no term can match a name. */
  read(text: string, { words: asked }: Query, withTypos: boolean): Terms | undefined {
    const terms: Term[] = []
    const all: AskedWord[] = []
    let needed = -1
    let total = -1
    let canName = false
    for (const token of new Set(joinedNumbers(text).trim().split(/\s+/u))) {
      const isNumber = token.includes('/')
      const folded = letterOrDigit.test(token)
        ? fold(token).filter((word) => word !== 'and' || !token.includes('&'))
        : []
      if (folded.length === 0) continue
      const words: AskedWord[] = []
      let areAll = !isNumber
      for (const word of isNumber ? [] : new Set(folded)) {
        const known = asked.find((one) => one.text === word)
        if (known === undefined) return undefined
        const sets = this.#setWords.withWord(word)
        const coded = this.#setWords.withCode(word)
        const number = numberIndex(this.#lists, word)
        const misspelling = withTypos && known.typosMax > 0 ? this.#spelling.misspelling(known) : null
        words.push({ place: all.length + words.length, asked: known, sets, coded, number, misspelling })
        const isNamed = known.postings > 0 || misspelling !== null
        canName ||= isNamed
        areAll &&= isNamed || sets.size > 0 || coded.size > 0 || number !== -1
      }
      const only = folded.length === 1 ? words[0] : undefined
      const number = only?.asked.text === token.toLowerCase() ? only.number : this.#numberIndex(token)
      const coded = isNumber ? noSets : (only?.coded ?? this.#setWords.withCode(folded.join('')))
      if (!areAll && number === -1 && coded.size === 0) return undefined
      if (isNumber) {
        needed = number
        const printed = totalOf(token) ?? ''
        total = wholeNumber.test(printed) ? Number(printed) : -1
      }
      terms.push({ number, coded, words })
      all.push(...words)
    }
    return canName ? { terms, words: all, needed, total } : undefined
  }

  /** The index of a collector's number that may have signs around it, -1 if no card has it. */
  #numberIndex(token: string): number {
    const place = numberIndex(this.#lists, token)
    if (place !== -1) return place
    const bare = token.replace(signsBefore, '').replace(signsAfter, '')
    return bare === token ? -1 : numberIndex(this.#lists, bare)
  }
}
