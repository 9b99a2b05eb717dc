/**
 * The cards that meet one condition of a scope are a list: one or more ranges of a column. Each condition's list
 * contains all cards of the scope, so it is enough to scan the shortest list.
 *
 *   number 4    numberCards       … │ 12  845  9120  40113 │ …            the shortest list: 4 cards
 *   set base1   setCards          … │ 9001 … 9102 │ … │ 40110 … 40221 │ … two ranges: two sets have that code
 *   game mtg    byPrice           … │ the cards of mtg by price │ …
 *   … from 5 to 10                          │ a part of them │
 *   … changed   byChangedOn       … │ the cards of mtg that changed last │ …
 *
 * The index stores a game's list in each order, so a page can be read from it in order. From most other lists, a page
 * must be selected, which is worth it only if they are much shorter. If a list contains only cards of the scope, its
 * length is the total, and reading in order ends with the page.
 */
import { noDay } from '../../calendar.ts'
import { endOf } from '../../indexes/bounds.ts'
import type { ChangesFile } from '../../indexes/changes-file.ts'
import { type ListsFile, noPrice, startsOfGames } from '../../indexes/lists-file.ts'
import type { SearchFile } from '../../indexes/search-file.ts'
import { asksNothing, type Scope } from './filters.ts'
import { firstWhere, idIndex, uuidIndex } from './number-index.ts'
import type { ListSort } from './orders.ts'
import type { Paging } from './select.ts'

/** The cards from cards[from] up to, but not including, cards[to]. No card occurs twice. */
export interface CardRange {
  readonly cards: Uint32Array
  readonly from: number
  readonly to: number
}

/** A list, and `rest`: the conditions of the scope that its cards may not meet. */
export interface ScopeList {
  readonly ranges: readonly CardRange[]
  readonly rest: Scope
  /** True if the list is one range whose cards are in the requested order. */
  readonly isInOrder: boolean
}

export interface CheapestList extends ScopeList {
  /** The number of cards in the scope; undefined if the cards must be counted one by one. */
  readonly total: number | undefined
}

/** For each card of a list, selection costs up to this many times as much as reading in order. */
const selectionCost = 16

/** External ids. A card must have every id that is given. */
export interface IdsElsewhere {
  readonly tcgplayer?: number | undefined
  readonly scryfall?: string | undefined
  readonly mtgjson?: string | undefined
  readonly cardmarket?: number | undefined
}

export class ScopeLists {
  readonly #file: SearchFile
  readonly #lists: ListsFile
  readonly #changes: ChangesFile
  readonly #inOrder: Readonly<Record<ListSort, Uint32Array>>
  readonly #gamesAt: Uint32Array

  constructor(file: SearchFile, lists: ListsFile, changes: ChangesFile) {
    this.#file = file
    this.#lists = lists
    this.#changes = changes
    const { cardGame, byNewest, byPrice, byPriceDown, byName } = lists
    this.#inOrder = {
      newest: byNewest,
      price: byPrice,
      '-price': byPriceDown,
      name: byName,
      change: changes.byChange,
      '-change': changes.byChangeDown,
    }
    this.#gamesAt = startsOfGames(cardGame)
  }

  /** Returns the list from which a page in the order `sort` costs least. */
  cheapest(scope: Scope, sort: ListSort, { offset, limit }: Paging): CheapestList {
    const lists = this.#listsOf(scope, sort)
    const whole = lists.find(({ rest }) => asksNothing(rest))
    const total = whole === undefined ? undefined : countOf(whole.ranges)
    const costOf = ({ ranges, isInOrder }: ScopeList) => {
      const count = countOf(ranges)
      if (!isInOrder) return count * selectionCost
      // This assumes that the scope's cards are spread evenly over the list.
      return total === undefined ? count : Math.min(count, ((offset + limit) * count) / Math.max(1, total))
    }
    return { ...lists.reduce((best, list) => (costOf(list) < costOf(best) ? list : best)), total }
  }

  #listsOf(scope: Scope, sort: ListSort): ScopeList[] {
    const { game, sets, number, minCents, maxCents, changedSince } = scope
    const lists: ScopeList[] = [
      { ranges: [this.#ofGame(game, sort)], rest: { ...scope, game: -1 }, isInOrder: game !== -1 },
    ]
    const isNewest = sort === 'newest'
    if (sets !== null) {
      const ranges = sets.map((set) => this.ofSet(set))
      // The scope's sets all belong to the scope's game.
      lists.push({ ranges, rest: { ...scope, game: -1, sets: null }, isInOrder: isNewest && ranges.length === 1 })
    }
    if (number !== -1) {
      lists.push({ ranges: [this.ofNumber(number)], rest: { ...scope, number: -1 }, isInOrder: isNewest })
    }
    if (game !== -1 && maxCents !== noPrice) {
      const rest = { ...scope, game: -1, minCents: 0, maxCents: noPrice }
      const range = this.#ofPrices(game, minCents, maxCents, sort)
      lists.push({ ranges: [range], rest, isInOrder: sort === 'price' || sort === '-price' })
    }
    if (game !== -1 && changedSince !== noDay) {
      const rest = { ...scope, game: -1, changedSince: noDay }
      lists.push({ ranges: [this.#changedSince(game, changedSince)], rest, isInOrder: false })
    }
    return lists
  }

  /** Returns all cards of a scope that has a game or sets, and no other condition. */
  ofGameOrSets({ game, sets }: Scope): readonly CardRange[] {
    return sets === null ? [this.#ofGame(game, 'newest')] : sets.map((set) => this.ofSet(set))
  }

  /** The game's cards with market prices from `minCents` up to `maxCents`; in the order `sort` if it is by price. */
  #ofPrices(game: number, minCents: number, maxCents: number, sort: ListSort): CardRange {
    const { cardMarket } = this.#lists
    const isDown = sort === '-price'
    const { cards, from, to } = this.#ofGame(game, isDown ? sort : 'price')
    const placeOf = (holds: (cents: number) => boolean) =>
      from + firstWhere(to - from, (at) => holds(cardMarket[cards[from + at]!]!))
    const [first, end] = isDown
      ? [
          placeOf((cents) => cents <= maxCents || cents === noPrice),
          placeOf((cents) => cents < minCents || cents === noPrice),
        ]
      : [placeOf((cents) => cents >= minCents), placeOf((cents) => cents > maxCents)]
    // If `minCents` is above `maxCents`, the range is empty.
    return { cards, from: first, to: Math.max(first, end) }
  }

  /** The game's cards that changed after the day. */
  #changedSince(game: number, day: number): CardRange {
    const { byChangedOn: cards, changedOn } = this.#changes
    const { from, to } = this.#ofGame(game, 'newest')
    return { cards, from, to: from + firstWhere(to - from, (at) => changedOn[cards[from + at]!]! <= day) }
  }

  /** @param game -1 for all games; then the games' lists follow one another */
  #ofGame(game: number, sort: ListSort): CardRange {
    const cards = this.#inOrder[sort]
    if (game === -1) return { cards, from: 0, to: cards.length }
    return { cards, from: this.#gamesAt[game]!, to: endOf(this.#gamesAt, game, cards.length) }
  }

  ofSet(set: number): CardRange {
    return rangeAt(this.#file.setCards, this.#file.setCardsAt, set)
  }

  /**
   * Returns the set's total: the number after the slash of its cards' numbers. If it is unknown, it is the number of
   * cards in the set.
   */
  totalOfSet(set: number): number {
    const { from, to } = this.ofSet(set)
    return this.#file.sets[set]!.printedTotal ?? to - from
  }

  ofNumber(number: number): CardRange {
    return rangeAt(this.#lists.numberCards, this.#lists.numberCardsAt, number)
  }

  /** The cards that have all given ids, by ascending index; undefined if no id is given. */
  ofIds({ tcgplayer, scryfall, mtgjson, cardmarket }: IdsElsewhere): readonly CardRange[] | undefined {
    const { productIds, productCards, productCardsAt, scryfallIds, scryfallCards, scryfallCardsAt } = this.#lists
    const { mtgjsonIds, mtgjsonCards, mtgjsonCardsAt, cardmarketIds, cardmarketCards, cardmarketCardsAt } = this.#lists
    const found: CardRange[] = []
    const add = (cards: Uint32Array, at: Uint32Array, id: number) =>
      found.push(id === -1 ? { cards, from: 0, to: 0 } : rangeAt(cards, at, id))
    if (tcgplayer !== undefined) add(productCards, productCardsAt, idIndex(productIds, tcgplayer))
    if (scryfall !== undefined) add(scryfallCards, scryfallCardsAt, uuidIndex(scryfallIds, scryfall))
    if (mtgjson !== undefined) add(mtgjsonCards, mtgjsonCardsAt, uuidIndex(mtgjsonIds, mtgjson))
    if (cardmarket !== undefined) add(cardmarketCards, cardmarketCardsAt, idIndex(cardmarketIds, cardmarket))
    if (found.length < 2) return found.length === 0 ? undefined : found
    const [first, ...others] = found.map(({ cards, from, to }) => cards.subarray(from, to))
    const sets = others.map((other) => new Set(other))
    const cards = first!.filter((card) => sets.every((other) => other.has(card)))
    return [{ cards, from: 0, to: cards.length }]
  }
}

/** Returns list number `list` of the column `cards`. @param at the start of each list */
export const rangeAt = (cards: Uint32Array, at: Uint32Array, list: number): CardRange => ({
  cards,
  from: at[list]!,
  to: endOf(at, list, cards.length),
})

const countOf = (ranges: readonly CardRange[]): number => ranges.reduce((sum, { from, to }) => sum + to - from, 0)
