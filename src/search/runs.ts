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
    if (number !== -1) runs = shorter(runs, listOf([this.ofNumber(number, scope.game)], scope.game !== -1))
    if (maxCents !== noPrice && Math.min(below, runs?.count ?? below) > cardsPerHalving) {
      runs = shorter(runs, this.#ofPrices(scope))
    }
    return runs === null || runs.count >= below ? null : runs
  }

  ofSet(set: number): Run {
    const { setCardsAt, setCards } = this.#file
    return { cards: setCards, from: setCardsAt[set]!, to: setCardsAt[set + 1]! }
  }

  /** @param game -1 for all games: then the cards do not ascend */
  ofNumber(number: number, game: number): Run {
    const { numberCardsAt, numberCards } = this.#lists
    const first = numberList(number, Math.max(game, 0))
    const end = game === -1 ? numberList(number + 1, 0) : first + 1
    return { cards: numberCards, from: numberCardsAt[first]!, to: numberCardsAt[end]! }
  }

  ofGame(game: number): Runs {
    const { gameCardsAt, gameCards } = this.#lists
    return listAt(gameCards, gameCardsAt, game)
  }

  /** The cards of a product by its place; null for -1, as of the two below. */
  ofProduct(product: number): Runs | null {
    const { productCardsAt, productCards } = this.#lists
    return product === -1 ? null : listAt(productCards, productCardsAt, product)
  }

  ofScryfall(id: number): Runs | null {
    const { scryfallCardsAt, scryfallCards } = this.#lists
    return id === -1 ? null : listAt(scryfallCards, scryfallCardsAt, id)
  }

  ofMtgjson(id: number): Runs | null {
    const { mtgjsonCardsAt, mtgjsonCards } = this.#lists
    return id === -1 ? null : listAt(mtgjsonCards, mtgjsonCardsAt, id)
  }

  #ofSets(sets: readonly number[]): Runs {
    return listOf(
      sets.map((set) => this.ofSet(set)),
      sets.length === 1,
    )
  }

  #ofPrices(scope: Scope): Runs {
    const { cheapestFirst } = this.#lists
    const { first, end } = this.#orders.ranks(cheapestFirst, scope)
    return listOf([{ cards: cheapestFirst.cardAt, from: first, to: end }], false)
  }
}

const listAt = (cards: Uint32Array, at: Uint32Array, list: number): Runs =>
  listOf([{ cards, from: at[list]!, to: at[list + 1]! }], true)

const listOf = (runs: readonly Run[], ascends: boolean): Runs => ({
  runs,
  count: runs.reduce((sum, { from, to }) => sum + to - from, 0),
  ascends,
})

/** The cards that are in each of some lists of one run, which all ascend: an id elsewhere has few. */
export function commonRuns(lists: readonly Runs[]): Runs {
  if (lists.length === 1) return lists[0]!
  const [first, ...others] = lists.map(({ runs: [run] }) => run!.cards.subarray(run!.from, run!.to))
  const cards = first!.filter((card) => others.every((other) => other.includes(card)))
  return { runs: [{ cards, from: 0, to: cards.length }], count: cards.length, ascends: true }
}

export const shorter = (a: Runs | null, b: Runs): Runs => (a === null || b.count < a.count ? b : a)
