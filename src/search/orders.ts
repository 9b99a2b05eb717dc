/** In what order cards are answered, and what part of an order can hold the cards of a scope. */
import { type ListsFile, noPrice, type Order, sortPrice } from '../indexes/lists-file.ts'
import type { Scope } from './filters.ts'
import { firstWhere } from './numbers.ts'

/** `relevance`: by rank, of a search alone; `newest`: the order of equals, in which cards are numbered. */
export const sorts = ['relevance', 'price', '-price', 'name', 'newest'] as const
export type Sort = (typeof sorts)[number]

/** Ranks from `first` up to `end`. */
export interface Ranks {
  readonly first: number
  readonly end: number
}

export class Orders {
  readonly #lists: ListsFile

  constructor(lists: ListsFile) {
    this.#lists = lists
  }

  /** Null where a card's rank is its number. */
  of(sort: Sort): Order | null {
    const { cheapestFirst, dearestFirst, byName } = this.#lists
    if (sort === 'price') return cheapestFirst
    if (sort === '-price') return dearestFirst
    return sort === 'name' ? byName : null
  }

  /** The ranks outside of which no card of the scope is. */
  ranks(order: Order | null, { minCents, maxCents }: Scope): Ranks {
    const { cardMarket, cheapestFirst, dearestFirst } = this.#lists
    const isByPrice = order === cheapestFirst || order === dearestFirst
    if (!isByPrice || maxCents === noPrice) return { first: 0, end: cardMarket.length }
    const { cardAt } = order
    const isDearest = order === dearestFirst
    const [low, high] = [sortPrice(minCents, isDearest), sortPrice(maxCents, isDearest)]
    const priceAt = (rank: number) => sortPrice(cardMarket[cardAt[rank]!]!, isDearest)
    return {
      first: firstWhere(cardAt.length, (rank) => priceAt(rank) >= Math.min(low, high)),
      end: firstWhere(cardAt.length, (rank) => priceAt(rank) > Math.max(low, high)),
    }
  }
}
