/**
 * Searches for words that very many names have, such as `s` or `of t`. It counts their cards, but ranks few names.
 *
 *   one word of one or two letters ─ prefix counts ────► total ┐
 *   several words ─ name-sets ─► the names that match ─► total ┤
 *                                                              ▼
 *   names with the whole words ─ rank ─► page ── full? ── no ─► names whose first words match, lowest first ─► page
 *
 * Those names are the next best. Names are numbered in the order of their first cards, so the n lowest names are enough for
 * n cards of equal rank. If the page is still not full (few names begin with `of the`), all matching names are ranked.
 */
import type { SearchFile } from '../indexes/search-file.ts'
import { searchLimitMax } from '../limits.ts'
import type { Candidates } from './candidates.ts'
import type { HitPage, Hits } from './hits.ts'
import { NameSets } from './name-sets.ts'
import type { Ranker } from './rank.ts'
import type { PrefixCounts } from './words/prefix-counts.ts'
import type { Query, QueryWord } from './words/query.ts'

/** Sets of names are faster from so many postings on, plus one for so many names, because a set has a bit for every name. */
const postingsMin = 256
const namesPerPosting = 128

export class CommonWords {
  readonly #file: SearchFile
  readonly #prefixCounts: PrefixCounts
  readonly #sets: NameSets
  readonly #candidates: Candidates
  readonly #ranker: Ranker
  readonly #hits: Hits
  readonly #postingsMin: number
  /** The lowest names whose first words match, ascending, valid up to `#lowestCount`. */
  readonly #lowest = new Uint32Array(searchLimitMax)
  #lowestCount = 0

  constructor(file: SearchFile, prefixCounts: PrefixCounts, candidates: Candidates, ranker: Ranker, hits: Hits) {
    this.#file = file
    this.#prefixCounts = prefixCounts
    this.#sets = new NameSets(file)
    this.#candidates = candidates
    this.#ranker = ranker
    this.#hits = hits
    this.#postingsMin = postingsMin + file.nameGame.length / namesPerPosting
  }

  /**
   * Fills the page with `limit` cards after the first `offset`, best first, of the game (-1: all). `Hits` is empty before and
   * after. Returns false, and an undefined page, if the words are not common or the page is far down.
   */
  fill(query: Query, game: number, page: HitPage, limit: number, offset: number): boolean {
    const { words, distinct } = query
    if (words.length === 0 || offset + limit > searchLimitMax) return false
    if (words.length === 1) return this.#fillOne(query, distinct[0]!, game, page, limit, offset)
    if (distinct[0]!.postings < this.#postingsMin) return false
    this.#fillSeveral(query, game, page, limit, offset)
    return true
  }

  #fillOne(query: Query, word: QueryWord, game: number, page: HitPage, limit: number, offset: number): boolean {
    const total = word.postings < postingsMin ? -1 : this.#prefixCounts.cards(word.text, game)
    if (total === -1) return false
    const better = this.#fillWhole(query, game, page, limit, offset)
    page.total = total
    const missing = missingIn(page, limit, offset)
    if (missing === 0) return true
    const skip = Math.max(0, offset - better)
    this.#lowestBeginningWith(query, word, game, skip + missing)
    return this.#hits.fillFromNames(this.#lowest, this.#lowestCount, page, skip, missing)
  }

  #fillSeveral(query: Query, game: number, page: HitPage, limit: number, offset: number): void {
    const candidates = this.#candidates
    const better = this.#fillWhole(query, game, page, limit, offset)
    candidates.take(this.#sets.common(query.distinct), game)
    page.total = this.#cardsOf(candidates)
    const missing = missingIn(page, limit, offset)
    const skip = Math.max(0, offset - better)
    if (missing > 0) {
      this.#lowestOf(query, candidates, skip + missing)
      if (!this.#hits.fillFromNames(this.#lowest, this.#lowestCount, page, skip, missing)) {
        this.#ranker.rankMatching(query, candidates)
        this.#fillRanked(page, limit, offset)
      }
    }
    candidates.clear()
  }

  /** Fills the page from names that have all words as whole words. Returns how many cards these have. */
  #fillWhole(query: Query, game: number, page: HitPage, limit: number, offset: number): number {
    const candidates = this.#candidates
    const { postingsAt } = this.#file
    let rarest = -1
    let fewest = Number.POSITIVE_INFINITY
    for (const { whole } of query.distinct) {
      if (whole === -1) return 0
      const postings = postingsAt[whole + 1]! - postingsAt[whole]!
      if (postings >= fewest) continue
      rarest = whole
      fewest = postings
    }
    candidates.addHolders(rarest, rarest + 1, game, { asFirst: 0, later: 0 })
    candidates.close()
    this.#ranker.rankWhole(query, candidates)
    const cards = this.#fillRanked(page, limit, offset)
    candidates.clear()
    return cards
  }

  #fillRanked(page: HitPage, limit: number, offset: number): number {
    const { names, ranks, count } = this.#candidates
    const hits = this.#hits
    hits.add(names, ranks, count)
    hits.fill(page, limit, offset)
    const { total } = hits
    hits.clear()
    return total
  }

  #cardsOf({ names, count }: Candidates): number {
    const { cardsAt } = this.#file
    let cards = 0
    for (let i = 0; i < count; i++) cards += cardsAt[names[i]! + 1]! - cardsAt[names[i]!]!
    return cards
  }

  /** Finds the lowest names, at most `countMax`, that begin with the word and do not have it as a whole word. */
  #lowestBeginningWith(query: Query, { first, end }: QueryWord, game: number, countMax: number): void {
    const { postingsAt, postings, nameGame } = this.#file
    const lowest = this.#lowest
    let count = 0
    /** From this posting on, a name is not among the lowest. */
    let bound = Number.POSITIVE_INFINITY
    const to = postingsAt[end]!
    for (let i = postingsAt[first]!; i < to; i++) {
      const posting = postings[i]!
      // Odd postings are of words that are not the first.
      if (posting >= bound || (posting & 1) === 1) continue
      const name = posting >>> 1
      if ((game !== -1 && nameGame[name] !== game) || this.#ranker.holdsWhole(query, name)) continue
      let place = count
      while (place > 0 && lowest[place - 1]! > name) place--
      // A word and a joined word of a name can begin with the same letters.
      if (place > 0 && lowest[place - 1] === name) continue
      if (count < countMax) count++
      lowest.copyWithin(place + 1, place, count - 1)
      lowest[place] = name
      if (count === countMax) bound = 2 * lowest[count - 1]!
    }
    this.#lowestCount = count
  }

  /** The same for names that ascend. */
  #lowestOf(query: Query, { names, count }: Candidates, countMax: number): void {
    let found = 0
    for (let i = 0; i < count && found < countMax; i++) {
      const name = names[i]!
      if (this.#ranker.beginsAs(query, name) && !this.#ranker.holdsWhole(query, name)) this.#lowest[found++] = name
    }
    this.#lowestCount = found
  }
}

/** How many cards the page still lacks; its total is known. */
const missingIn = ({ total, count }: HitPage, limit: number, offset: number): number =>
  Math.min(limit, Math.max(0, total - offset)) - count
