/** A query as its words, and what each finds in the vocabulary. */
import { countLatinLetters } from './fold.ts'

const latinLettersForTypo = 4
const latinLettersForTwoTypos = 8

/** How many typos a query word may have that is not Japanese. */
export function typosMaxOf(word: string): number {
  if (word.length < latinLettersForTypo) return 0
  const latinLetters = countLatinLetters(word)
  return Number(latinLetters >= latinLettersForTypo) + Number(latinLetters >= latinLettersForTwoTypos)
}

export interface Query {
  /** As typed, for comparing whole names. */
  readonly typed: string
  /** In their order, a repeated word being the same object. */
  readonly words: readonly QueryWord[]
  /** Each once, the one with the fewest postings first: it rules out most names. */
  readonly distinct: readonly QueryWord[]
}

/** What a query word finds, as word numbers. */
export interface Found {
  /** The words it begins: from `first` up to `end`, the one that it is coming first. */
  readonly first: number
  readonly end: number
  /** The words it lies in, ascending, those it begins too, if it is Japanese. May be the index's own list: never changed. */
  readonly inside: readonly number[] | null
  /** The word it is, -1 if it is none. */
  readonly whole: number
  /** Postings of all these words. */
  readonly postings: number
}

export class QueryWord implements Found {
  readonly text: string
  readonly first: number
  readonly end: number
  readonly inside: readonly number[] | null
  readonly whole: number
  readonly postings: number
  /** How often it is asked. */
  times = 1
  #typosMax: number | undefined

  constructor(text: string, { first, end, inside, whole, postings }: Found) {
    this.text = text
    this.first = first
    this.end = end
    this.inside = inside
    this.whole = whole
    this.postings = postings
  }

  /** How many typos it may have. Mostly nobody asks. */
  get typosMax(): number {
    this.#typosMax ??= this.inside === null ? typosMaxOf(this.text) : 0
    return this.#typosMax
  }

  /** True if it is the beginning of the word, or the word. */
  begins(number: number): boolean {
    return number >= this.first && number < this.end
  }

  /** True if it is the beginning of the word or, in Japanese, lies in it. */
  finds(number: number): boolean {
    const { inside } = this
    if (inside === null) return this.begins(number)
    let low = 0
    let high = inside.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (inside[middle]! < number) low = middle + 1
      else high = middle
    }
    return inside[low] === number
  }
}
