/** A parsed query: its words, and the words of the vocabulary that each finds. */
import { countLatinLetters, isJapanese } from '../../names/fold.ts'
import { firstWhere } from '../scope/number-index.ts'

const latinLettersForTypo = 4
const latinLettersForTwoTypos = 8

/** The allowed typos of a query word that is not Japanese. */
function typosMaxOf(word: string): number {
  if (word.length < latinLettersForTypo) return 0
  const latinLetters = countLatinLetters(word)
  return Number(latinLetters >= latinLettersForTypo) + Number(latinLetters >= latinLettersForTwoTypos)
}

/** True if a folded word may have a typo. */
export const mayHaveTypo = (word: string): boolean => typosMaxOf(word) > 0 && !isJapanese(word)

export interface Query {
  /** As typed, to compare with whole names. */
  readonly typed: string
  /** In their order; a repeated word is the same object. */
  readonly words: readonly QueryWord[]
  /** Those that a name must have, each once, the one with the fewest postings first, because it excludes most names. */
  readonly distinct: readonly QueryWord[]
  /** The query with words joined between which stand signs and no spaces; null if it is no other, or no name has its words. */
  readonly joined: Query | null
}

/** The numbers of the words that a query word finds. */
export interface Found {
  /** The words with it as prefix: from `first` up to `end`, the word that equals it first. */
  readonly first: number
  readonly end: number
  /** If it is Japanese, the words that contain it, ascending, also as prefix. May be the index's own list, which must not change. */
  readonly inside: readonly number[] | null
  /** The word that equals it, -1 if there is none. */
  readonly whole: number
  /** The sum of these words' postings. */
  readonly postings: number
}

export class QueryWord implements Found {
  readonly text: string
  readonly first: number
  readonly end: number
  readonly inside: readonly number[] | null
  readonly whole: number
  readonly postings: number
  /** How often the query has it. */
  times = 1

  constructor(text: string, { first, end, inside, whole, postings }: Found) {
    this.text = text
    this.first = first
    this.end = end
    this.inside = inside
    this.whole = whole
    this.postings = postings
  }

  /** The allowed typos. */
  get typosMax(): number {
    return this.inside === null ? typosMaxOf(this.text) : 0
  }

  /** True if it is a prefix of the word, or equals it. */
  begins(number: number): boolean {
    return number >= this.first && number < this.end
  }

  /** True if it is a prefix of the word or, in Japanese, inside it. */
  finds(number: number): boolean {
    const { inside } = this
    if (inside === null) return this.begins(number)
    return inside[firstWhere(inside.length, (at) => inside[at]! >= number)] === number
  }
}
