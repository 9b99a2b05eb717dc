/** Reads the terms of a query. Each term may match a card's name, set or number. */
import type { ListsFile } from '../indexes/lists-file.ts'
import { fold } from '../names/fold.ts'
import { joinedNumbers, totalOf } from '../names/numbers.ts'
import { numberIndex } from './scope/number-index.ts'
import type { SetWords } from './set-words.ts'
import type { Query, QueryWord } from './words/query.ts'
import type { Misspelling, Spelling } from './words/spelling.ts'

export interface AskedQuery {
  readonly text: string
  readonly query: Query
  /** True if the query's words may match words of names with typos. */
  readonly withTypos: boolean
}

export interface AskedWord {
  readonly asked: QueryWord
  /** The sets whose names have the word. */
  readonly sets: ReadonlySet<number>
  /** The sets whose code is the word. */
  readonly coded: ReadonlySet<number>
  /** The index of the word as a collector's number, -1 if no card has that number. */
  readonly number: number
  /** How the word is compared with typos. Null if it is compared only as typed. */
  readonly misspelling: Misspelling | null
}

export interface Term {
  /** The index of the term as a collector's number, -1 if no card has that number. */
  readonly number: number
  /** The sets whose code is the term. */
  readonly coded: ReadonlySet<number>
  /** The term's words are `Terms.words` from `first` up to `end`. A term with a slash has no words. */
  readonly first: number
  readonly end: number
}

const noSets: ReadonlySet<number> = new Set()
/** Signs before and after a number, as in `#4` and `(4/102)`. */
const signsBefore = /^[^\p{L}\p{N}]+/u
const signsAfter = /[^\p{L}\p{N}]+$/u
const wholeNumber = /^\d{1,9}$/

export class Terms {
  readonly #lists: ListsFile
  readonly #setWords: SetWords
  readonly #spelling: Spelling
  /**
   * If the query has a term with a slash, such as `4/102`: the index of that number. Every found card must have it.
   * -1 without such a term.
   */
  needed = -1
  /** The total after that term's slash. -1 without such a term, or if the total is not a whole number. */
  total = -1
  words: AskedWord[] = []
  terms: Term[] = []

  constructor(lists: ListsFile, setWords: SetWords, spelling: Spelling) {
    this.#lists = lists
    this.#setWords = setWords
    this.#spelling = spelling
  }

  /**
   * Reads the query. The caller must call `forget` afterwards. Returns false if a term matches no card, if no term can
   * match a name, or if all terms can match only names, which the search has already compared.
   */
  read({ text, query: { words: asked }, withTypos }: AskedQuery): boolean {
    this.terms = []
    this.needed = -1
    this.total = -1
    let canName = false
    let canBeMore = false
    for (const token of new Set(joinedNumbers(text).trim().split(/\s+/u))) {
      const isNumber = token.includes('/')
      const folded = fold(token).filter((word) => word !== 'and' || !token.includes('&'))
      if (folded.length === 0) continue
      const first = this.words.length
      let areAll = !isNumber
      for (const word of isNumber ? [] : new Set(folded)) {
        const known = asked.find((one) => one.text === word)
        if (known === undefined) return false
        const sets = this.#setWords.withWord(word)
        const coded = this.#setWords.withCode(word)
        const number = numberIndex(this.#lists, word)
        const misspelling = withTypos && known.typosMax > 0 ? this.#spelling.misspelling(known) : null
        this.words.push({ asked: known, sets, coded, number, misspelling })
        const isNamed = known.postings > 0 || misspelling !== null
        canName ||= isNamed
        const isMore = sets.size > 0 || coded.size > 0 || number !== -1
        canBeMore ||= isMore
        areAll &&= isNamed || isMore
      }
      const only = folded.length === 1 && !isNumber ? this.words[first]! : undefined
      const number = only?.asked.text === token.toLowerCase() ? only.number : this.#numberIndex(token)
      const coded = isNumber ? noSets : (only?.coded ?? this.#setWords.withCode(folded.join('')))
      const isWhole = number !== -1 || coded.size > 0
      if (!areAll && !isWhole) return false
      canBeMore ||= isWhole
      if (isNumber) {
        this.needed = number
        const total = totalOf(token) ?? ''
        this.total = wholeNumber.test(total) ? Number(total) : -1
      }
      this.terms.push({ number, coded, first, end: this.words.length })
    }
    return canName && canBeMore
  }

  /** The index of a collector's number, which may have signs around it. -1 if no card has that number. */
  #numberIndex(token: string): number {
    const place = numberIndex(this.#lists, token)
    if (place !== -1) return place
    const bare = token.replace(signsBefore, '').replace(signsAfter, '')
    return bare === token ? -1 : numberIndex(this.#lists, bare)
  }

  forget(): void {
    for (const { misspelling } of this.words) if (misspelling !== null) this.#spelling.forget(misspelling)
    this.words.length = 0
  }
}
