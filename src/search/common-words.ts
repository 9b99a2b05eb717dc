/**
 * Searches whose words very many names hold, as `s` or `of t`: their cards are counted, but most names are never ranked.
 *
 *   one word of one or two letters ─ heads ────────────► total ┐
 *   several words ─ name-sets ─► the names that match ─► total ┤
 *                                                              ▼
 *   names that hold the words whole ─ rank ─► page ── full? ── no ─► names that begin as the query does, lowest first ─► page
 *
 * Those are the next best ones. Names are numbered in the order of their first cards, so for n cards of equal names the n lowest
 * names that there are do. Where the page is not full then, as for `of the`, which begins few names, all that match are ranked.
 */
import type { SearchFile } from '../indexes/search-file.ts'
import { searchLimitMax } from '../limits.ts'
import type { Candidates } from './candidates.ts'
import type { HitPage, Hits } from './hits.ts'
import { NameSets } from './name-sets.ts'
import type { PrefixCounts } from './prefix-counts.ts'
import type { Query, QueryWord } from './query.ts'
import type { Ranker } from './rank.ts'

/** Sets of names pay from so many postings on, and one more for so many names, which all are gone through. */
const postingsMin = 256
const namesPerPosting = 128

export class CommonWords {
  readonly #file: SearchFile
  readonly #heads: PrefixCounts
  readonly #sets: NameSets
  readonly #candidates: Candidates
  readonly #ranker: Ranker
  readonly #hits: Hits
  readonly #postingsMin: number
  /** The lowest names that begin as the query does, ascending: the first `#lowestCount`. */
  readonly #lowest = new Uint32Array(searchLimitMax)
  #lowestCount = 0

  constructor(file: SearchFile, heads: PrefixCounts, candidates: Candidates, ranker: Ranker, hits: Hits) {
    this.#file = file
    this.#heads = heads
    this.#sets = new NameSets(file)
    this.#candidates = candidates
    this.#ranker = ranker
    this.#hits = hits
    this.#postingsMin = postingsMin + file.nameGame.length / namesPerPosting
  }

  /**
   * Fills the page with `limit` cards after the first `offset`, best first, of names of the game (-1: of all). The hits are
   * empty before and after. False, with any page, if that is not worth it: the words are not common, or the page is far down.
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
    const total = word.postings < postingsMin ? -1 : this.#heads.cards(word.text, game)
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

  /** Fills the page from the names that hold all words whole. Returns how many cards these have. */
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

  /** Finds the lowest names, at most so many, of those that begin with the word's letters and do not hold it whole. */
  #lowestBeginningWith(query: Query, { first, end }: QueryWord, game: number, countMax: number): void {
    const { postingsAt, postings, nameGame } = this.#file
    const lowest = this.#lowest
    let count = 0
    /** Of postings, from which on a name is none of the lowest. */
    let bound = Number.POSITIVE_INFINITY
    const to = postingsAt[end]!
    for (let i = postingsAt[first]!; i < to; i++) {
      const posting = postings[i]!
      // Odd ones are of words that are not the first.
      if (posting >= bound || (posting & 1) === 1) continue
      const name = posting >>> 1
      if ((game !== -1 && nameGame[name] !== game) || this.#ranker.holdsWhole(query, name)) continue
      let place = count < countMax ? count++ : count - 1
      for (; place > 0 && lowest[place - 1]! > name; place--) lowest[place] = lowest[place - 1]!
      lowest[place] = name
      if (count === countMax) bound = 2 * lowest[count - 1]!
    }
    this.#lowestCount = count
  }

  /** The same of names that ascend. */
  #lowestOf(query: Query, { names, count }: Candidates, countMax: number): void {
    let found = 0
    for (let i = 0; i < count && found < countMax; i++) {
      const name = names[i]!
      if (this.#ranker.beginsAs(query, name) && !this.#ranker.holdsWhole(query, name)) this.#lowest[found++] = name
    }
    this.#lowestCount = found
  }
}

/** How many cards a page of which the total is known lacks yet. */
const missingIn = ({ total, count }: HitPage, limit: number, offset: number): number =>
  Math.min(limit, Math.max(0, total - offset)) - count
