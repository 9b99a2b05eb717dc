/**
 * The names that match a query, each with its rank, and pages of their cards: by rank, within a rank by card number; or,
 * where another order is asked for, all of one rank and in that order.
 *
 * The cards of a rank are found in the cheaper of two ways: where the rank has many cards, by going through all cards
 * in their order until the page is full; where it has few, by collecting them and sorting the page's part.
 */
import type { ListsFile, Order } from '../indexes/lists-file.ts'
import type { SearchFile } from '../indexes/search-file.ts'
import { everyCard, type Scope } from './filters.ts'
import { InScope } from './in-scope.ts'
import type { Orders, Sort } from './orders.ts'
import { groups } from './rank.ts'
import { sortWindow } from './select.ts'

export interface HitPage {
  total: number
  count: number
  /** Card numbers, the first `count` count. */
  readonly cards: Uint32Array
}

/** A mark is the rank plus one: zero is a name that does not match. */
const firstMark = 1

/** Steps of the walk through all cards that cost as much as collecting and placing one card. */
const walkStepsPerCollected = 4
/** A walk of fewer is not worth looking for where it would begin. */
const walkStepsMin = 256

export class Hits {
  readonly #file: SearchFile
  readonly #marks: Uint16Array
  /** The first `#matchedCount` of them match and have cards in scope. */
  readonly #matched: Uint32Array
  #matchedCount = 0
  /** By mark: cards in scope, and all printings of the names. */
  #cards = new Uint32Array(groups + firstMark)
  #printings = new Uint32Array(groups + firstMark)
  readonly #collected: Uint32Array
  readonly #orders: Orders
  readonly #inScope: InScope
  /** True if the names' ranks count. */
  #isRanked = true
  #scope: Scope = everyCard
  #order: Order | null = null
  #total = 0

  constructor(file: SearchFile, lists: ListsFile, orders: Orders) {
    const names = file.nameGame.length
    this.#file = file
    this.#orders = orders
    this.#inScope = new InScope(file, lists)
    this.#marks = new Uint16Array(names)
    this.#matched = new Uint32Array(names)
    this.#collected = new Uint32Array(file.cards.length)
  }

  /** Cards of matching names that are in scope. */
  get total(): number {
    return this.#total
  }

  /** @param rankCount all ranks to come are below it */
  start(scope: Scope, sort: Sort, rankCount: number): void {
    // Names have the game of their cards.
    this.#inScope.start(scope, -1)
    this.#isRanked = sort === 'relevance'
    this.#scope = scope
    this.#order = this.#orders.of(sort)
    if (rankCount + firstMark > this.#cards.length) {
      this.#cards = new Uint32Array(rankCount + firstMark)
      this.#printings = new Uint32Array(rankCount + firstMark)
    }
  }

  /** Forgets all hits: costs as much as there are. */
  clear(): void {
    for (let i = 0; i < this.#matchedCount; i++) this.#marks[this.#matched[i]!] = 0
    this.#matchedCount = 0
    this.#cards.fill(0)
    this.#printings.fill(0)
    this.#inScope.clear()
    this.#total = 0
  }

  /** Takes the first `count` names, each once, with their ranks. The hits are empty before. */
  add(names: Uint32Array, ranks: Uint16Array, count: number): void {
    const { cardsAt } = this.#file
    const inScope = this.#inScope
    const { all } = inScope
    const isRanked = this.#isRanked
    const marks = this.#marks
    const matched = this.#matched
    let matchedCount = 0
    let total = 0
    for (let i = 0; i < count; i++) {
      const name = names[i]!
      const from = cardsAt[name]!
      const to = cardsAt[name + 1]!
      const cards = all ? to - from : inScope.countOfName(from, to)
      if (cards === 0) continue
      const mark = isRanked ? ranks[i]! + firstMark : firstMark
      marks[name] = mark
      matched[matchedCount++] = name
      this.#cards[mark]! += cards
      this.#printings[mark]! += to - from
      total += cards
    }
    this.#matchedCount = matchedCount
    this.#total = total
  }

  /** Fills the page with `limit` cards after the first `offset`. */
  fill(page: HitPage, limit: number, offset: number): void {
    page.total = this.#total
    page.count = 0
    if (offset >= this.#total) return
    let skip = offset
    for (let mark = firstMark; mark < this.#cards.length && page.count < limit; mark++) {
      const cards = this.#cards[mark]!
      if (skip < cards) {
        this.#fillFrom(mark, page, skip, Math.min(cards, skip + limit - page.count))
        skip = 0
      } else {
        skip -= cards
      }
    }
  }

  /**
   * Adds `missing` cards of names of one rank, the first `count`, after the first `skip` of them; all are in scope. False, with
   * nothing added, if they have too few.
   */
  fillFromNames(names: Uint32Array, count: number, page: HitPage, skip: number, missing: number): boolean {
    const { cardsAt, cards } = this.#file
    const collected = this.#collected
    let found = 0
    for (let m = 0; m < count; m++) {
      const end = cardsAt[names[m]! + 1]!
      for (let i = cardsAt[names[m]!]!; i < end; i++) collected[found++] = cards[i]!
    }
    const to = skip + missing
    if (found < to) return false
    sortWindow(collected, found, skip, to)
    for (let i = skip; i < to; i++) page.cards[page.count++] = collected[i]!
    return true
  }

  /** Adds the mark's cards from the `from`-th up to the `to`-th. */
  #fillFrom(mark: number, page: HitPage, from: number, to: number): void {
    const stepsMax = this.#printings[mark]! * walkStepsPerCollected + this.#matchedCount
    if (stepsMax < walkStepsMin || !this.#walk(mark, page, from, to, stepsMax)) this.#collect(mark, page, from, to)
  }

  /** False, with nothing added, if the cards are not found in so many steps: they need not be spread evenly. */
  #walk(mark: number, page: HitPage, from: number, to: number, stepsMax: number): boolean {
    const order = this.#order
    const { first, end } = this.#orders.ranks(order, this.#scope)
    if (((end - first) * to) / this.#cards[mark]! > stepsMax) return false
    const { cardName } = this.#file
    const marks = this.#marks
    const inScope = this.#inScope
    const { all } = inScope
    const countBefore = page.count
    const lastStep = Math.min(end, first + stepsMax)
    let found = 0
    for (let rank = first; rank < lastStep; rank++) {
      const card = order === null ? rank : order.cardAt[rank]!
      if (marks[cardName[card]!] !== mark || !(all || inScope.has(card))) continue
      if (found >= from) page.cards[page.count++] = card
      if (++found === to) return true
    }
    page.count = countBefore
    return false
  }

  #collect(mark: number, page: HitPage, from: number, to: number): void {
    const { cardsAt, cards } = this.#file
    const marks = this.#marks
    const inScope = this.#inScope
    const { all } = inScope
    const order = this.#order
    const collected = this.#collected
    let count = 0
    for (let m = 0; m < this.#matchedCount; m++) {
      const name = this.#matched[m]!
      if (marks[name] !== mark) continue
      for (let i = cardsAt[name]!; i < cardsAt[name + 1]!; i++) {
        const card = cards[i]!
        if (all || inScope.has(card)) collected[count++] = order === null ? card : order.rankOf[card]!
      }
    }
    sortWindow(collected, count, from, to)
    for (let i = from; i < to; i++) {
      page.cards[page.count++] = order === null ? collected[i]! : order.cardAt[collected[i]!]!
    }
  }
}
