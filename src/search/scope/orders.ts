/** The orders of results, and the part of an order that can have a scope's cards. */
import type { ChangesFile } from '../../indexes/changes-file.ts'
import { type ListsFile, noPrice, type Order, sortPrice } from '../../indexes/lists-file.ts'
import type { Scope } from './filters.ts'
import { firstWhere } from './numbers.ts'

/** `relevance`: by rank, only in a search; `newest`: by card number; `change`: by the percentage of the week. */
export const sorts = ['relevance', 'price', '-price', 'name', 'newest', 'change', '-change'] as const
export type Sort = (typeof sorts)[number]

/** Ranks from `first` up to `end`. */
export interface Ranks {
  readonly first: number
  readonly end: number
}

export class Orders {
  readonly #lists: ListsFile
  readonly #bySort: Readonly<Record<Sort, Order | null>>

  constructor(lists: ListsFile, { fallenFirst, risenFirst }: ChangesFile) {
    this.#lists = lists
    this.#bySort = {
      relevance: null,
      price: lists.cheapestFirst,
      '-price': lists.dearestFirst,
      name: lists.byName,
      newest: null,
      change: fallenFirst,
      '-change': risenFirst,
    }
  }

  /** Null if a card's rank is its number. */
  of(sort: Sort): Order | null {
    return this.#bySort[sort]
  }

  /** The range of ranks with all cards of the scope. */
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
