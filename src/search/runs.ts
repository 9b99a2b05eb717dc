/**
 * The lists of cards that a scope names, as runs of columns: all its cards are in any of them, so that the shortest one is
 * enough to be looked through.
 *
 *   number 4    numberCards       … │ 12  845  9120  40113 │ …              4 cards, the shortest
 *   set base1   setCards          … │ 9001 … 9102 │ … │ 40110 … 40221 │ …    two sets have that code
 *   1 to 2      cheapestFirst     … │ 801  3  77 … │ …                      not ascending
 */
import { type ListsFile, noPrice, numberList } from '../indexes/lists-file.ts'
import type { SearchFile } from '../indexes/search-file.ts'
import type { Scope } from './filters.ts'
import type { Orders } from './orders.ts'

/** So many cards are looked through in the time that it takes to find a run of prices. */
const cardsPerHalving = 200

/** cards[from] up to cards[to]. */
export interface Run {
  readonly cards: Uint32Array
  readonly from: number
  readonly to: number
}

/** A list of cards, each once. */
export interface Runs {
  readonly runs: readonly Run[]
  /** Of cards. */
  readonly count: number
  /** By card number, from run to run. */
  readonly ascends: boolean
}

export class ScopeRuns {
  readonly #file: SearchFile
  readonly #lists: ListsFile
  readonly #orders: Orders

  constructor(file: SearchFile, lists: ListsFile, orders: Orders) {
    this.#file = file
    this.#lists = lists
    this.#orders = orders
  }

  /** Of the scope's sets, number and prices, whichever has the fewest cards; null if none has fewer than `below`. */
  shortest(scope: Scope, below: number): Runs | null {
    const { sets, number, maxCents } = scope
    let runs = sets === null ? null : this.#ofSets(sets)
    if (number !== -1) runs = shorter(runs, this.#ofNumber(number, scope.game))
    if (maxCents !== noPrice && Math.min(below, runs?.count ?? below) > cardsPerHalving) {
      runs = shorter(runs, this.#ofPrices(scope))
    }
    return runs === null || runs.count >= below ? null : runs
  }

  ofGame(game: number): Runs {
    const { gameCardsAt, gameCards } = this.#lists
    return listAt(gameCards, gameCardsAt, game)
  }

  ofProduct(product: number): Runs {
    const { productCardsAt, productCards } = this.#lists
    return listAt(productCards, productCardsAt, product)
  }

  #ofNumber(number: number, game: number): Runs {
    const { numberCardsAt, numberCards } = this.#lists
    if (game !== -1) return listAt(numberCards, numberCardsAt, numberList(number, game))
    const from = numberCardsAt[numberList(number, 0)]!
    const to = numberCardsAt[numberList(number + 1, 0)]!
    return { runs: [{ cards: numberCards, from, to }], count: to - from, ascends: false }
  }

  #ofSets(sets: readonly number[]): Runs {
    const { setCardsAt, setCards } = this.#file
    const runs = sets.map((set) => ({ cards: setCards, from: setCardsAt[set]!, to: setCardsAt[set + 1]! }))
    return { runs, count: runs.reduce((sum, { from, to }) => sum + to - from, 0), ascends: runs.length === 1 }
  }

  #ofPrices(scope: Scope): Runs {
    const { cheapestFirst } = this.#lists
    const { first, end } = this.#orders.ranks(cheapestFirst, scope)
    return { runs: [{ cards: cheapestFirst.cardAt, from: first, to: end }], count: end - first, ascends: false }
  }
}

function listAt(cards: Uint32Array, at: Uint32Array, list: number): Runs {
  const run = { cards, from: at[list]!, to: at[list + 1]! }
  return { runs: [run], count: run.to - run.from, ascends: true }
}

export const shorter = (a: Runs | null, b: Runs): Runs => (a === null || b.count < a.count ? b : a)
