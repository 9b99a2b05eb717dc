/**
 * How well a name answers a query. A rank is a group plus `groups` for each typo, so the best name has the least:
 *
 *   0 typed    the name equals the query as typed           ┐ step 1
 *   1 equal    … as folded                                  ┘
 *   2 first    its first words are the query's words        ┐ step 2: every word of the query is a whole word of it
 *   3 ordered  it holds the query's words in their order    │
 *   4 held     it holds them                                ┘
 *   5 6 7      the same, some words being only beginnings (or, in Japanese, inside): step 3
 */
import type { SearchFile } from '../indexes/search-file.ts'
import { asTyped } from './fold.ts'
import { finds, noMatch, type QueryWord, type Vocabulary } from './vocabulary.ts'

export const groups = 8
const typed = 0
const equal = 1
const wholeWords = 2
const beginnings = 5
/** Within a step. */
const first = 0
const ordered = 1
const held = 2

/** The rank of a name that does not match. */
export const unmatched = -1

export class Ranking {
  readonly #file: SearchFile
  readonly #vocabulary: Vocabulary
  readonly #typed: string
  /** In their order, as asked. */
  readonly words: readonly QueryWord[]
  /** Each once, the one with the fewest postings first: it rules out most names. */
  readonly distinct: readonly QueryWord[]
  /** Of each distinct word, the fewest typos in the name being ranked. */
  readonly #fewest: Map<QueryWord, number> = new Map()

  constructor(file: SearchFile, vocabulary: Vocabulary, query: string) {
    this.#file = file
    this.#vocabulary = vocabulary
    this.#typed = asTyped(query)
    this.words = vocabulary.ask(query)
    this.distinct = [...new Set(this.words)].sort((a, b) => a.postings - b.postings)
  }

  /** The name's rank by steps 1 to 3, `unmatched` if it lacks a word. */
  exact(name: number): number {
    const { nameWordsAt, nameWords } = this.#file
    const start = nameWordsAt[name]!
    const end = nameWordsAt[name + 1]!
    const { distinct } = this
    let allWhole = true
    for (let d = 0; d < distinct.length; d++) {
      const asked = distinct[d]!
      let found = false
      let whole = false
      for (let place = start; place < end && !whole; place++) {
        const word = nameWords[place]!
        whole = word === asked.whole
        found ||= whole || finds(asked, word)
      }
      if (!found) return unmatched
      allWhole &&= whole
    }
    return this.#group(name, start, end, allWhole, false)
  }

  /** The name's rank by step 4, `unmatched` if a word is too far from each of its words. */
  withTypos(name: number): number {
    const { nameWordsAt, nameWords } = this.#file
    const start = nameWordsAt[name]!
    const end = nameWordsAt[name + 1]!
    let typos = 0
    let allWhole = true
    for (const asked of this.distinct) {
      let fewest = noMatch
      let whole = false
      for (let place = start; place < end && !whole; place++) {
        const word = nameWords[place]!
        whole = word === asked.whole
        fewest = Math.min(fewest, whole ? 0 : this.#vocabulary.typos(asked, word))
      }
      if (fewest === noMatch) return unmatched
      allWhole &&= whole || fewest > 0
      typos += fewest * asked.times
      this.#fewest.set(asked, fewest)
    }
    return typos * groups + this.#group(name, start, end, allWhole, true)
  }

  /** The group of a name that has all words, whose words lie from `start` up to `end`. */
  #group(name: number, start: number, end: number, allWhole: boolean, corrected: boolean): number {
    const { nameWords } = this.#file
    const { words } = this
    const step = allWhole ? wholeWords : beginnings
    if (words.length > end - start) return step + held
    let next = 0
    let asFirst = true
    for (let place = start; place < end && next < words.length; place++) {
      const asked = words[next]!
      const word = nameWords[place]!
      const fits = corrected
        ? this.#isCorrection(asked, word, allWhole)
        : allWhole
          ? word === asked.whole
          : finds(asked, word)
      if (fits) next++
      else asFirst = false
    }
    if (next < words.length) return step + held
    if (!asFirst) return step + ordered
    if (!allWhole || words.length < end - start) return step + first
    return !corrected && this.isTyped(name) ? typed : equal
  }

  /** True if the word is what the query word becomes with its fewest typos (whole, where all words are to be). */
  #isCorrection(asked: QueryWord, word: number, whole: boolean): boolean {
    const fewest = this.#fewest.get(asked)!
    if (fewest === 0) return whole ? word === asked.whole : finds(asked, word)
    return this.#vocabulary.typos(asked, word) === fewest
  }

  /** The rank of a name without words, for a query without words that it equals when folded. */
  ofSigns(name: number): number {
    return this.isTyped(name) ? typed : equal
  }

  /** True if the name is the query as typed. */
  isTyped(name: number): boolean {
    const { nameText, nameTextAt } = this.#file
    const start = nameTextAt[name]!
    const text = this.#typed
    if (nameTextAt[name + 1]! - start !== text.length) return false
    for (let i = 0; i < text.length; i++) if (nameText[start + i] !== text.charCodeAt(i)) return false
    return true
  }
}
