/**
 * Fills pages with the cards of ranked names. A page is sorted by rank, or in another order that ignores ranks. Cards
 * that are equal in this order are sorted by card index.
 */
import { endOf } from '../indexes/bounds.ts'
import { queryCharsMax } from '../limits.ts'
import type { Candidates } from './candidates.ts'
import type { SearchParts } from './parts.ts'
import { groups } from './rank.ts'
import type { Scope } from './scope/filters.ts'
import type { Sort } from './scope/orders.ts'
import type { HitPage, Paging } from './scope/select.ts'

/** More than the highest rank: a query has at most as many words as characters, and each word has at most two typos. */
const ranksMax = groups * (1 + 2 * queryCharsMax)

export class Hits {
  readonly #parts: SearchParts
  /** By rank: the number of cards in scope. Between queries, all entries are 0. */
  readonly #counts = new Uint32Array(ranksMax)

  constructor(parts: SearchParts) {
    this.#parts = parts
  }

  /** Fills the page. */
  fill(candidates: Candidates, scope: Scope, sort: Sort, { limit, offset }: Paging): void {
    const { page } = this.#parts
    // The candidates already have the scope's game: a name and its cards have the same game.
    this.#parts.inScope.start(scope, -1)
    const end = this.#count(candidates, sort === 'relevance', page)
    // The page's cards have ranks from `low` up to, but not including, `high`. `before` counts the cards with lower
    // ranks.
    let low = 0
    let before = 0
    while (low < end && before + this.#counts[low]! <= offset) before += this.#counts[low++]!
    let high = low
    for (let cards = before; high < end && cards < offset + limit; high++) cards += this.#counts[high]!
    this.#parts.selection.start(offset - before, offset - before + limit)
    if (low < high) this.#select(candidates, sort, low, high)
    this.#parts.selection.fill(page)
    this.#counts.fill(0, 0, end)
  }

  /** Counts the cards in scope by rank. Returns the highest rank that has cards, plus one. */
  #count({ names, ranks, count }: Candidates, isRanked: boolean, page: HitPage): number {
    const { file, inScope } = this.#parts
    const { cardsAt, cards } = file
    const counts = this.#counts
    let total = 0
    let end = 0
    for (let i = 0; i < count; i++) {
      const from = cardsAt[names[i]!]!
      const to = endOf(cardsAt, names[i]!, cards.length)
      let found = to - from
      if (!inScope.all) {
        found = 0
        for (let at = from; at < to; at++) if (inScope.has(cards[at]!)) found++
      }
      if (found === 0) continue
      const rank = isRanked ? ranks[i]! : 0
      counts[rank]! += found
      total += found
      if (rank >= end) end = rank + 1
    }
    page.total = total
    return end
  }

  /** Selects the cards in scope whose names have ranks from `low` up to, but not including, `high`. */
  #select({ names, ranks, count }: Candidates, sort: Sort, low: number, high: number): void {
    const { file, inScope, selection, orders } = this.#parts
    const { cardsAt, cards } = file
    const { all } = inScope
    const keyOf = orders[sort]
    const isRanked = sort === 'relevance'
    for (let i = 0; i < count; i++) {
      const rank = ranks[i]!
      if (isRanked && (rank < low || rank >= high)) continue
      const end = endOf(cardsAt, names[i]!, cards.length)
      for (let at = cardsAt[names[i]!]!; at < end; at++) {
        const card = cards[at]!
        if (all || inScope.has(card)) selection.add(card, isRanked ? rank : keyOf(card))
      }
    }
  }
}
