/**
 * The cards that meet one condition of a scope are a list: one or more ranges of a column. Each condition's list has
 * all cards of the scope, so it is enough to scan the shortest list.
 *
 *   number 4    numberCards       … │ 12  845  9120  40113 │ …            the shortest list: 4 cards
 *   set base1   setCards          … │ 9001 … 9102 │ … │ 40110 … 40221 │ … two ranges: two sets have that code
 */
import { gameSlugs } from '../../games.ts'
import type { ListsFile } from '../../indexes/lists-file.ts'
import type { SearchFile } from '../../indexes/search-file.ts'
import type { Scope } from './filters.ts'
import { idIndex, uuidIndex } from './number-index.ts'

/** The cards from cards[from] up to, but not including, cards[to]. Each card stands there once. */
export interface CardRange {
  readonly cards: Uint32Array
  readonly from: number
  readonly to: number
}

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
  /** All cards, sorted by game. */
  readonly #all: CardRange
  readonly #ofGames: readonly CardRange[]

  constructor(file: SearchFile, lists: ListsFile) {
    this.#file = file
    this.#lists = lists
    const { cardGame } = lists
    const cards = new Uint32Array(cardGame.length)
    let to = 0
    this.#ofGames = gameSlugs.map((_, game) => {
      const from = to
      for (let card = 0; card < cardGame.length; card++) if (cardGame[card] === game) cards[to++] = card
      return { cards, from, to }
    })
    this.#all = { cards, from: 0, to }
  }

  /**
   * The shortest of the lists for the scope's game, sets and number. All cards, sorted by game, if the scope has none
   * of these.
   */
  shortest({ game, sets, number }: Scope): readonly CardRange[] {
    const lists = [[game === -1 ? this.#all : this.#ofGames[game]!]]
    if (sets !== null) lists.push(sets.map((set) => this.ofSet(set)))
    if (number !== -1) lists.push([this.ofNumber(number)])
    return lists.reduce((shortest, list) => (countOf(list) < countOf(shortest) ? list : shortest))
  }

  ofSet(set: number): CardRange {
    return rangeAt(this.#file.setCards, this.#file.setCardsAt, set)
  }

  /**
   * The set's total: the number behind the slash of its cards' numbers. If it is unknown, the number of cards that the
   * set has.
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
    const cards = first!.filter((card) => others.every((other) => other.includes(card)))
    return [{ cards, from: 0, to: cards.length }]
  }
}

const rangeAt = (cards: Uint32Array, at: Uint32Array, list: number): CardRange => ({
  cards,
  from: at[list]!,
  to: at[list + 1]!,
})

const countOf = (ranges: readonly CardRange[]): number => ranges.reduce((sum, { from, to }) => sum + to - from, 0)
