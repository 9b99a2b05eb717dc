/** Lists cards without a query: those of a filter or of ids elsewhere in any order, and those that moved in price. Scans them. */
import { change, directionOf } from '../indexes/changes-file.ts'
import { percentTenths } from '../indexes/price-change.ts'
import { searchLimitMax } from '../limits.ts'
import type { SearchParts } from './parts.ts'
import type { Filter } from './scope/filters.ts'
import type { KeyOf, Sort } from './scope/orders.ts'
import type { Scope } from './scope/scope.ts'
import type { CardRange, IdsElsewhere } from './scope/scope-lists.ts'
import type { HitPage } from './scope/select.ts'

export interface Movement {
  /** Index in `periods`. */
  readonly period: number
  readonly direction: number
  readonly by: 'percent' | 'amount'
  /** The lowest price before and after. */
  readonly minCents: number
}

/** The key of cards that are not listed; below all others. */
const unlisted = Number.NEGATIVE_INFINITY

/** Pages are reused by the next call. Limits are at most `searchLimitMax`. */
export class Listing {
  readonly #parts: SearchParts
  readonly #page: HitPage = { total: 0, count: 0, cards: new Uint32Array(searchLimitMax) }

  constructor(parts: SearchParts) {
    this.#parts = parts
  }

  /** `limit` of the filter's cards that have all the given ids, after the first `offset`. */
  cards(filter: Filter, ids: IdsElsewhere, limit: number, offset: number, sort: Sort): HitPage {
    const { filters, scopeLists, orders, selection } = this.#parts
    selection.start(limit, offset)
    const scope = filters.scope(filter)
    if (scope !== null) this.#scan(scope, scopeLists.ofIds(ids) ?? scopeLists.shortest(scope), orders[sort])
    return selection.fill(this.#page)
  }

  /** `limit` of the movers of a game and a set after the first `offset`, the largest change first. */
  movers({ game, set }: Pick<Filter, 'game' | 'set'>, movement: Movement, limit: number, offset: number): HitPage {
    const { period, direction, by, minCents } = movement
    const { filters, scopeLists, selection } = this.#parts
    const { changes } = this.#parts.changes
    selection.start(limit, offset)
    const scope = filters.scope({ game, set, rarity: undefined })
    const keyOf = (card: number) => {
      const from = changes[card * change.size + change.from + period]!
      const to = changes[card * change.size + change.to]!
      if (from < minCents || to < minCents || directionOf(from, to) !== direction) return unlisted
      return -Math.abs(by === 'percent' ? percentTenths(from, to) : to - from)
    }
    if (scope !== null) this.#scan(scope, scopeLists.shortest(scope), keyOf)
    return selection.fill(this.#page)
  }

  /** Selects the cards of the ranges that are in scope and listed. */
  #scan(scope: Scope, ranges: readonly CardRange[], keyOf: KeyOf): void {
    const { selection } = this.#parts
    for (const { cards, from, to } of ranges) {
      for (let i = from; i < to; i++) {
        const card = cards[i]!
        if (!scope.has(card)) continue
        const key = keyOf(card)
        if (key !== unlisted) selection.add(card, key)
      }
    }
  }
}
