/**
 * The lists of cards of a scope's conditions, as ranges of columns. Each list has all cards of the scope, so it is enough to
 * scan the shortest.
 *
 *   number 4    numberCards       … │ 12  845  9120  40113 │ …              4 cards, the shortest
 *   set base1   setCards          … │ 9001 … 9102 │ … │ 40110 … 40221 │ …    two sets have that code
 *   1 to 2      cheapestFirst     … │ 801  3  77 … │ …                      not ascending
 */
import { type ListsFile, noPrice, numberList } from '../../indexes/lists-file.ts'
import type { SearchFile } from '../../indexes/search-file.ts'
import type { Scope } from './filters.ts'
import { idIndex, uuidIndex } from './numbers.ts'
import type { Orders } from './orders.ts'

/** Scanning so many cards takes as long as finding a range of prices. */
const cardsPerHalving = 200

/** cards[from] up to cards[to]. */
export interface CardRange {
  readonly cards: Uint32Array
  readonly from: number
  readonly to: number
}

/** A list of cards, each once. */
export interface CardList {
  readonly ranges: readonly CardRange[]
  /** The number of cards. */
  readonly count: number
  /** Card numbers ascend over all ranges. */
  readonly ascends: boolean
}

/** External ids. A card must have all that are given. */
export interface IdsElsewhere {
  readonly tcgplayer?: number | undefined
  readonly scryfall?: string | undefined
  readonly mtgjson?: string | undefined
  readonly cardmarket?: number | undefined
}

export class ScopeLists {
  readonly #file: SearchFile
  readonly #lists: ListsFile
  readonly #orders: Orders

  constructor(file: SearchFile, lists: ListsFile, orders: Orders) {
    this.#file = file
    this.#lists = lists
    this.#orders = orders
  }

  /** The shortest list of the scope's sets, number and prices; null if none has fewer cards than `below`. */
  shortest(scope: Scope, below: number): CardList | null {
    const { sets, number, maxCents } = scope
    let shortest = sets === null ? null : this.#ofSets(sets)
    if (number !== -1) shortest = shorter(shortest, listOf([this.ofNumber(number, scope.game)], scope.game !== -1))
    if (maxCents !== noPrice && Math.min(below, shortest?.count ?? below) > cardsPerHalving) {
      shortest = shorter(shortest, this.#ofPrices(scope))
    }
    return shortest === null || shortest.count >= below ? null : shortest
  }

  ofSet(set: number): CardRange {
    const { setCardsAt, setCards } = this.#file
    return { cards: setCards, from: setCardsAt[set]!, to: setCardsAt[set + 1]! }
  }

  /** @param game -1 for all games: then the cards do not ascend */
  ofNumber(number: number, game: number): CardRange {
    const { numberCardsAt, numberCards } = this.#lists
    const first = numberList(number, Math.max(game, 0))
    const end = game === -1 ? numberList(number + 1, 0) : first + 1
    return { cards: numberCards, from: numberCardsAt[first]!, to: numberCardsAt[end]! }
  }

  ofGame(game: number): CardList {
    const { gameCardsAt, gameCards } = this.#lists
    return listAt(gameCards, gameCardsAt, game)
  }

  /** The cards of each given id; null if no card has one of them. */
  ofIds({ tcgplayer, scryfall, mtgjson, cardmarket }: IdsElsewhere): readonly CardList[] | null {
    const lists = this.#lists
    const found: (CardList | null)[] = []
    if (tcgplayer !== undefined) {
      found.push(listOfId(lists.productCards, lists.productCardsAt, idIndex(lists.productIds, tcgplayer)))
    }
    if (scryfall !== undefined) {
      found.push(listOfId(lists.scryfallCards, lists.scryfallCardsAt, uuidIndex(lists.scryfallIds, scryfall)))
    }
    if (mtgjson !== undefined) {
      found.push(listOfId(lists.mtgjsonCards, lists.mtgjsonCardsAt, uuidIndex(lists.mtgjsonIds, mtgjson)))
    }
    if (cardmarket !== undefined) {
      found.push(listOfId(lists.cardmarketCards, lists.cardmarketCardsAt, idIndex(lists.cardmarketIds, cardmarket)))
    }
    return found.some((one) => one === null) ? null : (found as CardList[])
  }

  #ofSets(sets: readonly number[]): CardList {
    return listOf(
      sets.map((set) => this.ofSet(set)),
      sets.length === 1,
    )
  }

  #ofPrices(scope: Scope): CardList {
    const { cheapestFirst } = this.#lists
    const { first, end } = this.#orders.ranks(cheapestFirst, scope)
    return listOf([{ cards: cheapestFirst.cardAt, from: first, to: end }], false)
  }
}

const listAt = (cards: Uint32Array, at: Uint32Array, list: number): CardList =>
  listOf([{ cards, from: at[list]!, to: at[list + 1]! }], true)

/** @param id an index, -1 if no card has it */
const listOfId = (cards: Uint32Array, at: Uint32Array, id: number): CardList | null =>
  id === -1 ? null : listAt(cards, at, id)

const listOf = (ranges: readonly CardRange[], ascends: boolean): CardList => ({
  ranges,
  count: ranges.reduce((sum, { from, to }) => sum + to - from, 0),
  ascends,
})

/** The intersection of short ascending lists of one range each, as external ids have. */
export function intersection(lists: readonly CardList[]): CardList {
  if (lists.length === 1) return lists[0]!
  const [first, ...others] = lists.map(({ ranges: [range] }) => range!.cards.subarray(range!.from, range!.to))
  const cards = first!.filter((card) => others.every((other) => other.includes(card)))
  return { ranges: [{ cards, from: 0, to: cards.length }], count: cards.length, ascends: true }
}

export const shorter = (a: CardList | null, b: CardList): CardList => (a === null || b.count < a.count ? b : a)
