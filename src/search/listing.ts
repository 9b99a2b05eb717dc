/**
 * Lists cards without a query: the cards of a filter, the cards with given external ids, and the cards whose price
 * moved. Each call scans one list that contains all of these cards. If the list is in the right order and all of its
 * cards are in scope, the page is copied from it.
 */
import { type ChangesFile, change, isKnown, percentTenths, up } from '../indexes/changes-file.ts'
import type { SearchParts } from './parts.ts'
import type { Filter } from './scope/filters.ts'
import type { ListSort } from './scope/orders.ts'
import type { CardRange, IdsElsewhere } from './scope/scope-lists.ts'
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

  /** Returns a page of the filter's cards that have all the given ids. */
  cards(filter: Filter, ids: IdsElsewhere, paging: Paging, sort: ListSort): HitPage {
    const { filters, scopeLists, inScope, orders, selection } = this.#parts
    selection.start(paging.offset, paging.offset + paging.limit)
    const scope = filters.scope(filter)
    if (scope === null) return this.#page()
    const ofIds = scopeLists.ofIds(ids)
    const { ranges, rest, isInOrder, total } =
      ofIds === undefined
        ? scopeLists.cheapest(scope, sort, paging)
        : { ranges: ofIds, rest: scope, isInOrder: false, total: undefined }
    inScope.start(rest, rest.game)
    if (isInOrder) return this.#readOff(ranges[0]!, paging, total)
    const keyOf = orders[sort]
    for (const { cards, from, to } of ranges) {
      for (let i = from; i < to; i++) {
        const card = cards[i]!
        if (inScope.has(card)) selection.add(card, keyOf(card))
      }
    }
    return this.#page()
  }

  /** Returns a page of a list that is in the right order. @param total undefined if the cards must be counted */
  #readOff({ cards, from, to }: CardRange, { limit, offset }: Paging, total: number | undefined): HitPage {
    const { inScope, page } = this.#parts
    if (inScope.all) {
      const own = cards.subarray(Math.min(from + offset, to), Math.min(from + offset + limit, to))
      page.total = to - from
      page.count = own.length
      page.cards.set(own)
      return page
    }
    let found = 0
    page.count = 0
    for (let i = from; i < to; i++) {
      if (total !== undefined && (page.count === limit || offset >= total)) break
      const card = cards[i]!
      if (!inScope.has(card)) continue
      if (found++ >= offset && page.count < limit) page.cards[page.count++] = card
    }
    page.total = total ?? found
    return page
  }

  /** Returns a page of the cards of the game and the set whose price moved, the largest change first. */
  movers({ game, set }: Pick<Filter, 'game' | 'set'>, movement: Movement, { limit, offset }: Paging): HitPage {
    const { filters, scopeLists, selection } = this.#parts
    const changes = this.#changes
    const { period, direction, by, minCents } = movement
    const sign = direction === up ? 1 : -1
    selection.start(offset, offset + limit)
    const scope = filters.scope({ game, set, rarity: undefined })
    if (scope === null) return this.#page()
    for (const { cards, from, to } of scopeLists.ofGameOrSets(scope)) {
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
