/**
 * The names that match a query with their scores, and pages of their cards: by score, equal scores by card number. If the
 * caller requests another order, all names have one score, and that order decides.
 *
 * There are two ways to find the cards of a score: a walk through all cards in order until the page is full is cheaper if
 * the score has many cards; else they are collected, and the page's part is sorted.
 */
import type { Order } from '../indexes/lists-file.ts'
import type { SearchFile } from '../indexes/search-file.ts'
import { groups } from './rank.ts'
import { everyCard, type Scope } from './scope/filters.ts'
import type { InScope } from './scope/in-scope.ts'
import type { Orders, Sort } from './scope/orders.ts'
import { addWindow, walkStepsPerCollected } from './scope/select.ts'

export interface HitPage {
  total: number
  count: number
  /** Card numbers, valid up to `count`. */
  readonly cards: Uint32Array
}

/** A score is the rank plus one; zero is a name that does not match. */
const firstScore = 1

/** A shorter walk is not worth the search for its start. */
const walkStepsMin = 256

export class Hits {
  readonly #file: SearchFile
  readonly #scores: Uint16Array
  /** Names that match and have cards in scope, valid up to `#matchedCount`. */
  readonly #matched: Uint32Array
  #matchedCount = 0
  /** By score: cards in scope, and all printings of the names. They stay as long as the longest query's; all from `#end` on are 0. */
  #cards = new Uint32Array(groups + firstScore)
  #printings = new Uint32Array(groups + firstScore)
  #end = 0
  readonly #collected: Uint32Array
  readonly #orders: Orders
  readonly #inScope: InScope
  /** True if the order is by relevance. */
  #isRanked = true
  #scope: Scope = everyCard
  #order: Order | null = null
  #total = 0

  constructor(file: SearchFile, inScope: InScope, orders: Orders) {
    const names = file.nameGame.length
    this.#file = file
    this.#orders = orders
    this.#inScope = inScope
    this.#scores = new Uint16Array(names)
    this.#matched = new Uint32Array(names)
    this.#collected = new Uint32Array(file.cards.length)
  }

  /** Cards of matching names that are in scope. */
  get total(): number {
    return this.#total
  }

  /** @param rankCount above all ranks of `add` */
  start(scope: Scope, sort: Sort, rankCount: number): void {
    // Names have the game of their cards.
    this.#inScope.start(scope, -1)
    this.#isRanked = sort === 'relevance'
    this.#scope = scope
    this.#order = this.#orders.of(sort)
    if (rankCount + firstScore > this.#cards.length) {
      this.#cards = new Uint32Array(rankCount + firstScore)
      this.#printings = new Uint32Array(rankCount + firstScore)
    }
  }

  /** Clears all hits, in time proportional to their number. */
  clear(): void {
    for (let i = 0; i < this.#matchedCount; i++) this.#scores[this.#matched[i]!] = 0
    this.#matchedCount = 0
    this.#cards.fill(0, 0, this.#end)
    this.#printings.fill(0, 0, this.#end)
    this.#end = 0
    this.#inScope.clear()
    this.#total = 0
  }

  /** Adds the first `count` names, each once, with their ranks. There must be no hits before. */
  add(names: Uint32Array, ranks: Uint16Array, count: number): void {
    const { cardsAt } = this.#file
    const inScope = this.#inScope
    const { all } = inScope
    const isRanked = this.#isRanked
    const scores = this.#scores
    const matched = this.#matched
    let matchedCount = 0
    let total = 0
    for (let i = 0; i < count; i++) {
      const name = names[i]!
      const from = cardsAt[name]!
      const to = cardsAt[name + 1]!
      const cards = all ? to - from : inScope.countOfName(from, to)
      if (cards === 0) continue
      const score = isRanked ? ranks[i]! + firstScore : firstScore
      scores[name] = score
      if (score >= this.#end) this.#end = score + 1
      matched[matchedCount++] = name
      this.#cards[score]! += cards
      this.#printings[score]! += to - from
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
    for (let score = firstScore; score < this.#end && page.count < limit; score++) {
      const cards = this.#cards[score]!
      if (skip < cards) {
        this.#fillFrom(score, page, skip, Math.min(cards, skip + limit - page.count))
        skip = 0
      } else {
        skip -= cards
      }
    }
  }

  /**
   * Adds `missing` cards of the first `count` names, after the first `skip` cards. All names have one rank, all cards are in
   * scope. Returns false, and adds nothing, if they have too few.
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
    addWindow(page, collected, found, null, skip, to)
    return true
  }

  /** Adds the score's cards from the `from`-th up to the `to`-th. */
  #fillFrom(score: number, page: HitPage, from: number, to: number): void {
    const stepsMax = this.#printings[score]! * walkStepsPerCollected + this.#matchedCount
    if (stepsMax < walkStepsMin || !this.#walk(score, page, from, to, stepsMax)) this.#collect(score, page, from, to)
  }

  /** Returns false, and adds nothing, if it does not find the cards in `stepsMax` steps: they may be spread unevenly. */
  #walk(score: number, page: HitPage, from: number, to: number, stepsMax: number): boolean {
    const order = this.#order
    const { first, end } = this.#orders.ranks(order, this.#scope)
    if (((end - first) * to) / this.#cards[score]! > stepsMax) return false
    const { cardName } = this.#file
    const scores = this.#scores
    const inScope = this.#inScope
    const { all } = inScope
    const countBefore = page.count
    const lastStep = Math.min(end, first + stepsMax)
    let found = 0
    for (let rank = first; rank < lastStep; rank++) {
      const card = order === null ? rank : order.cardAt[rank]!
      if (scores[cardName[card]!] !== score || !(all || inScope.has(card))) continue
      if (found >= from) page.cards[page.count++] = card
      if (++found === to) return true
    }
    page.count = countBefore
    return false
  }

  #collect(score: number, page: HitPage, from: number, to: number): void {
    const { cardsAt, cards } = this.#file
    const scores = this.#scores
    const inScope = this.#inScope
    const { all } = inScope
    const order = this.#order
    const collected = this.#collected
    let count = 0
    for (let m = 0; m < this.#matchedCount; m++) {
      const name = this.#matched[m]!
      if (scores[name] !== score) continue
      for (let i = cardsAt[name]!; i < cardsAt[name + 1]!; i++) {
        const card = cards[i]!
        if (all || inScope.has(card)) collected[count++] = order === null ? card : order.rankOf[card]!
      }
    }
    addWindow(page, collected, count, order, from, to)
  }
}
