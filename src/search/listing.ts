/**
 * Lists cards without a query: the cards of a filter, the cards with given external ids, and the cards whose price
 * moved. A call goes through the shortest list that has all of these cards.
 */
import { type ChangesFile, change, isKnown, percentTenths, up } from '../indexes/changes-file.ts'
import type { SearchParts } from './parts.ts'
import type { Filter } from './scope/filters.ts'
import type { Sort } from './scope/orders.ts'
import type { IdsElsewhere } from './scope/scope-lists.ts'
import type { HitPage, Paging } from './scope/select.ts'

export interface Movement {
  /** Index in `periods`. */
  readonly period: number
  /** Index in `directions`. */
  readonly direction: number
  readonly by: 'percent' | 'amount'
  /** A card is listed only if both prices, before and after the move, are at least this. */
  readonly minCents: number
}

/** All calls return the same page object. Each call overwrites it. */
export class Listing {
  readonly #parts: SearchParts
  readonly #changes: Uint32Array

  constructor(parts: SearchParts, { changes }: ChangesFile) {
    this.#parts = parts
    this.#changes = changes
  }

  /** The filter's cards that have all the given ids. */
  cards(filter: Filter, ids: IdsElsewhere, { limit, offset }: Paging, sort: Sort): HitPage {
    const { filters, scopeLists, inScope, orders, selection } = this.#parts
    selection.start(offset, offset + limit)
    const scope = filters.scope(filter)
    if (scope === null) return this.#page()
    inScope.start(scope, scope.game)
    for (const { cards, from, to } of scopeLists.ofIds(ids) ?? scopeLists.shortest(scope)) {
      for (let i = from; i < to; i++) {
        const card = cards[i]!
        if (inScope.has(card)) selection.add(card, orders[sort](card))
      }
    }
    return this.#page()
  }

  /** The cards of the game and the set that moved, the largest change first. */
  movers({ game, set }: Pick<Filter, 'game' | 'set'>, movement: Movement, { limit, offset }: Paging): HitPage {
    const { filters, scopeLists, selection } = this.#parts
    const changes = this.#changes
    const { period, direction, by, minCents } = movement
    const sign = direction === up ? 1 : -1
    selection.start(offset, offset + limit)
    const scope = filters.scope({ game, set, rarity: undefined })
    if (scope === null) return this.#page()
    // A set's cards all have the set's game. So every card of the shortest list is in scope, and none is checked.
    for (const { cards, from, to } of scopeLists.shortest(scope)) {
      for (let i = from; i < to; i++) {
        const card = cards[i]!
        const before = changes[card * change.size + change.from + period]!
        const now = changes[card * change.size + change.to]!
        const amount = sign * (now - before)
        if (amount <= 0 || before < minCents || now < minCents || !isKnown(before, now)) continue
        selection.add(card, by === 'percent' ? -Math.abs(percentTenths(before, now)) : -amount)
      }
    }
    return this.#page()
  }

  #page(): HitPage {
    const { selection, page } = this.#parts
    page.total = selection.count
    selection.fill(page)
    return page
  }
}
