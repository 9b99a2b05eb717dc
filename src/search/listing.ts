/**
 * Lists the cards of a game, a set or an external id, filtered and in any order, without a query.
 *
 *   filter ─► scope ─► its shortest list ─ counts the cards in scope ─► a page of them
 *
 * Lists are in the order of card numbers. In that order, one pass counts the list and fills the page. In another order,
 * there are two ways, as in hits.ts: walk through the order until the page is full, or collect the list's cards and sort the
 * page's part. The cheaper one is used.
 */
import { noDay } from '../calendar.ts'
import { noPrice, type Order } from '../indexes/lists-file.ts'
import { noRarity } from '../indexes/search-file.ts'
import { searchLimitMax } from '../limits.ts'
import type { HitPage } from './hits.ts'
import { everyCard, type Filter, type Filters, type Scope } from './scope/filters.ts'
import type { InScope } from './scope/in-scope.ts'
import type { Orders, Sort } from './scope/orders.ts'
import { type CardList, type IdsElsewhere, intersection, type ScopeLists, shorter } from './scope/scope-lists.ts'
import { addWindow, walkStepsPerCollected } from './scope/select.ts'

export class Listing {
  readonly #filters: Filters
  readonly #orders: Orders
  readonly #scopeLists: ScopeLists
  readonly #inScope: InScope
  readonly #collected: Uint32Array
  readonly #page: HitPage = { total: 0, count: 0, cards: new Uint32Array(searchLimitMax) }
  #scope: Scope = everyCard

  constructor(inScope: InScope, filters: Filters, orders: Orders, scopeLists: ScopeLists, cardCount: number) {
    this.#filters = filters
    this.#orders = orders
    this.#scopeLists = scopeLists
    this.#inScope = inScope
    this.#collected = new Uint32Array(cardCount)
  }

  /**
   * `limit` of the filter's cards after the first `offset`. The returned page is reused by the next call.
   * @param limit at most `searchLimitMax`
   */
  find(filter: Filter, ids: IdsElsewhere, limit: number, offset: number, sort: Sort): HitPage {
    const page = this.#page
    page.total = 0
    page.count = 0
    const scope = this.#filters.scope(filter)
    const byId = this.#scopeLists.ofIds(ids)
    const list = scope === null || byId === null ? null : this.#listOf(scope, byId)
    if (scope === null || byId === null || list === null) return page
    this.#scope = scope
    this.#inScope.start(scope, scope.game)
    const isWhole = countOfBounds(scope) + Number(byId.length > 0) === 1
    const order = this.#orders.of(sort)
    if (order === null && list.ascends) this.#fillInPass(list, isWhole, limit, offset)
    else this.#fill(list, isWhole, order, byId.length === 0, limit, offset)
    this.#inScope.clear()
    return page
  }

  /** The shortest list with all cards of the scope. */
  #listOf(scope: Scope, byId: readonly CardList[]): CardList | null {
    if (byId.length > 0) return intersection(byId)
    const { game } = scope
    const shortest = this.#scopeLists.shortest(scope, Number.POSITIVE_INFINITY)
    return game === -1 ? shortest : shorter(shortest, this.#scopeLists.ofGame(game))
  }

  /** @param isWhole all cards of the list are in scope */
  #fillInPass({ ranges, count }: CardList, isWhole: boolean, limit: number, offset: number): void {
    const page = this.#page
    const { cards, from, to } = ranges[0]!
    if (isWhole) {
      page.total = count
      const end = Math.min(to, from + offset + limit)
      for (let i = from + offset; i < end; i++) page.cards[page.count++] = cards[i]!
      return
    }
    const inScope = this.#inScope
    let total = 0
    for (let i = from; i < to; i++) {
      const card = cards[i]!
      if (!inScope.has(card)) continue
      if (total >= offset && page.count < limit) page.cards[page.count++] = card
      total++
    }
    page.total = total
  }

  /** @param canWalk a card's columns show whether it is in the list */
  #fill(list: CardList, isWhole: boolean, order: Order | null, canWalk: boolean, limit: number, offset: number): void {
    const page = this.#page
    const total = isWhole ? list.count : this.#countInScope(list)
    page.total = total
    if (offset >= total) return
    const to = Math.min(total, offset + limit)
    const { first, end } = this.#orders.ranks(order, this.#scope)
    const stepsMax = list.count * walkStepsPerCollected
    const walks = canWalk && ((end - first) * to) / total <= stepsMax
    if (!walks || !this.#walk(order, first, Math.min(end, first + stepsMax), offset, to)) {
      this.#collect(list, isWhole, order, offset, to)
    }
  }

  #countInScope({ ranges }: CardList): number {
    const inScope = this.#inScope
    let count = 0
    for (const { cards, from, to } of ranges) {
      for (let i = from; i < to; i++) if (inScope.has(cards[i]!)) count++
    }
    return count
  }

  /** Returns false, and adds nothing, if it does not find the cards before the rank `end`. */
  #walk(order: Order | null, first: number, end: number, from: number, to: number): boolean {
    const page = this.#page
    const inScope = this.#inScope
    let found = 0
    for (let rank = first; rank < end; rank++) {
      const card = order === null ? rank : order.cardAt[rank]!
      if (!inScope.has(card)) continue
      if (found >= from) page.cards[page.count++] = card
      if (++found === to) return true
    }
    page.count = 0
    return false
  }

  #collect({ ranges }: CardList, isWhole: boolean, order: Order | null, from: number, to: number): void {
    const page = this.#page
    const inScope = this.#inScope
    const collected = this.#collected
    let count = 0
    for (const range of ranges) {
      for (let i = range.from; i < range.to; i++) {
        const card = range.cards[i]!
        if (isWhole || inScope.has(card)) collected[count++] = order === null ? card : order.rankOf[card]!
      }
    }
    addWindow(page, collected, count, order, from, to)
  }
}

/** How many conditions the scope has. Its sets imply its game. */
const countOfBounds = ({ game, sets, rarity, printings, number, maxCents, changedSince }: Scope): number =>
  Number(game !== -1 || sets !== null) +
  Number(rarity !== noRarity) +
  Number(printings !== null) +
  Number(number !== -1) +
  Number(maxCents !== noPrice) +
  Number(changedSince !== noDay)
