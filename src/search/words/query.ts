/** A parsed query: its words, and the words of the vocabulary that each finds. */
import { countLatinLetters } from '../../names/fold.ts'
import { firstWhere } from '../scope/numbers.ts'

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

export interface QueryWord extends Found {
  readonly text: string
  /** How often the query has it. */
  times: number
}

const latinLettersForTypo = 4
const latinLettersForTwoTypos = 8

/** The typos that the word may have. */
export function typosMaxOf({ text, inside }: QueryWord): number {
  if (text.length < latinLettersForTypo || inside !== null) return 0
  const latinLetters = countLatinLetters(text)
  return Number(latinLetters >= latinLettersForTypo) + Number(latinLetters >= latinLettersForTwoTypos)
}

/** True if the query word is a prefix of the word, or equals it. */
export const begins = ({ first, end }: Found, number: number): boolean => number >= first && number < end

/** True if the query word is a prefix of the word or, in Japanese, inside it. */
export function finds(word: Found, number: number): boolean {
  const { inside } = word
  if (inside === null) return begins(word, number)
  return inside[firstWhere(inside.length, (at) => inside[at]! >= number)] === number
}
