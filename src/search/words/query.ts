/** A parsed query: its words, and for each of them the words of the vocabulary that it finds. */
import { countLatinLetters, isJapanese } from '../../names/fold.ts'
import { firstWhere } from '../scope/number-index.ts'

const latinLettersForTypo = 4
const latinLettersForTwoTypos = 8

/** How many typos a query word may have if it is not Japanese. */
function typosMaxOf(word: string): number {
  if (word.length < latinLettersForTypo) return 0
  const latinLetters = countLatinLetters(word)
  return Number(latinLetters >= latinLettersForTypo) + Number(latinLetters >= latinLettersForTwoTypos)
}

/** True if a folded word may have a typo. */
export const mayHaveTypo = (word: string): boolean => typosMaxOf(word) > 0 && !isJapanese(word)

export interface Query {
  /** The query as typed, to be compared with whole names. */
  readonly typed: string
  /** The words in their order. A word that the query repeats is the same object each time. */
  readonly words: readonly QueryWord[]
  /**
   * The words that a name must have, each once. The word with the fewest postings comes first, because it excludes most
   * names.
   */
  readonly distinct: readonly QueryWord[]
  /**
   * The query in a second reading: it joins words that are separated by signs without spaces, so `D.D. Crow` becomes
   * `dd crow`. Null if the query has no such words, or if no name has the rarest word of the second reading.
   */
  readonly joined: Query | null
}

/** The numbers of the words that a query word finds. */
export interface Found {
  /** The words from `first` up to `end` begin with the query word. If a word equals the query word, it is `first`. */
  readonly first: number
  readonly end: number
  /**
   * For a Japanese query word: the words that contain it, also at their beginning, ascending. Null for other query
   * words. The list may belong to the dictionary, so it must not be changed.
   */
  readonly inside: readonly number[] | null
  /** The word that equals the query word, -1 if there is none. */
  readonly whole: number
  /** The number of postings of all words that the query word finds. */
  readonly postings: number
}

export class QueryWord implements Found {
  readonly text: string
  readonly first: number
  readonly end: number
  readonly inside: readonly number[] | null
  readonly whole: number
  readonly postings: number
  /** How many times the query has this word. */
  times = 1

  constructor(text: string, { first, end, inside, whole, postings }: Found) {
    this.text = text
    this.first = first
    this.end = end
    this.inside = inside
    this.whole = whole
    this.postings = postings
  }

  /** How many typos this word may have. */
  get typosMax(): number {
    return this.inside === null ? typosMaxOf(this.text) : 0
  }

  /** True if the vocabulary's word with this number begins with the query word, or equals it. */
  begins(number: number): boolean {
    return number >= this.first && number < this.end
  }

  /**
   * True if the vocabulary's word with this number begins with the query word or, for a Japanese query word, contains
   * it.
   */
  finds(number: number): boolean {
    const { inside } = this
    if (inside === null) return this.begins(number)
    return inside[firstWhere(inside.length, (at) => inside[at]! >= number)] === number
  }
}
