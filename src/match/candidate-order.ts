/**
 * Puts the candidates of an ambiguous line in order. If the line's number has a total, the cards that the total fits
 * come first. Among these, and among the others, the order is that of a search: first the cards whose name equals the
 * line's as typed, then those whose name equals it when folded, then all others. Names are compared within the index,
 * without decoding them, because a line may have candidates with thousands of names.
 */
import { endOf } from '../indexes/bounds.ts'
import { type SearchFile, wordMask } from '../indexes/search-file.ts'
import { asTyped, fold, foldSigns } from '../names/fold.ts'
import { compareText } from '../search/scope/number-index.ts'
import type { Search } from '../search/search.ts'

/** Ranks of names: equal to the line's as typed, equal when folded, different. */
const ranks = { typed: 0, folded: 1, other: 2 } as const
type Rank = (typeof ranks)[keyof typeof ranks]
const rankCount = 3

export class CandidateOrder {
  readonly #file: SearchFile
  readonly #search: Search
  readonly #typed: string
  /** The folded words of the line's name. Empty if the name has only signs. */
  readonly #words: readonly string[]

  constructor(name: string, file: SearchFile, search: Search) {
    this.#file = file
    this.#search = search
    this.#typed = asTyped(name)
    this.#words = fold(name)
  }

  /**
   * Returns the first `max` of the cards.
   * @param cards card indexes
   * @param fits true for a card that the line's total fits; undefined if the line has no total
   */
  firstOf(cards: readonly number[], max: number, fits?: (card: number) => boolean): number[] {
    const known = new Map<number, Rank>()
    /** Cards by rank. For cards that the total does not fit, `rankCount` is added to the rank. */
    const ranked: number[][] = [[], [], [], [], [], []]
    for (const card of Uint32Array.from(cards).sort()) {
      const name = this.#file.cardName[card]!
      let rank = known.get(name)
      if (rank === undefined) {
        rank = this.#rankOf(name)
        known.set(name, rank)
      }
      const place = fits === undefined || fits(card) ? rank : rankCount + rank
      if (ranked[place]!.length < max) ranked[place]!.push(card)
      if (ranked[ranks.typed]!.length === max) break
    }
    return ranked.flat().slice(0, max)
  }

  /** @param name the number of a name of the index */
  #rankOf(name: number): Rank {
    const { nameText, nameTextAt } = this.#file
    if (compareText(nameText, nameTextAt[name]!, nameTextAt[name + 1]!, this.#typed) === 0) return ranks.typed
    return this.#isFolded(name) ? ranks.folded : ranks.other
  }

  #isFolded(name: number): boolean {
    const { nameWords, nameWordsAt, wordText, wordTextAt } = this.#file
    const words = this.#words
    let next = 0
    const end = endOf(nameWordsAt, name, nameWords.length)
    for (let place = nameWordsAt[name]!; place < end; place++) {
      const word = nameWords[place]! & wordMask
      // Skip joined words, which are entries in addition to the name's own words.
      if (word !== nameWords[place]) continue
      if (next === words.length) return false
      if (compareText(wordText, wordTextAt[word]!, wordTextAt[word + 1]!, words[next]!) !== 0) return false
      next++
    }
    if (next < words.length) return false
    return next > 0 || foldSigns(this.#search.nameOf(name)) === foldSigns(this.#typed)
  }
}
