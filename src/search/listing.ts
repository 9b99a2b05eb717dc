/** Lists cards without a query: those of a filter or of ids elsewhere in any order, and those that moved in price. Scans them. */
import { type ChangesFile, change, directionOf, percentTenths } from '../indexes/changes-file.ts'
import type { SearchParts } from './parts.ts'
import type { Filter, Scope } from './scope/filters.ts'
import type { KeyOf, Sort } from './scope/orders.ts'
import type { CardRange, IdsElsewhere } from './scope/scope-lists.ts'
import type { HitPage, Paging } from './scope/select.ts'

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

/** The page is reused by the next call. */
export class Listing {
  readonly #parts: SearchParts
  readonly #changes: Uint32Array

  constructor(parts: SearchParts, { changes }: ChangesFile) {
    this.#parts = parts
    this.#changes = changes
  }

  /** The filter's cards that have all the given ids. */
  cards(filter: Filter, ids: IdsElsewhere, paging: Paging, sort: Sort): HitPage {
    const { filters, scopeLists, orders } = this.#parts
    const scope = filters.scope(filter)
    return this.#scan(scope, scopeLists.ofIds(ids), orders[sort], paging)
  }

  /** The movers of a game and a set, the largest change first. */
  movers({ game, set }: Pick<Filter, 'game' | 'set'>, movement: Movement, paging: Paging): HitPage {
    const { period, direction, by, minCents } = movement
    const changes = this.#changes
    const scope = this.#parts.filters.scope({ game, set, rarity: undefined })
    const keyOf = (card: number) => {
      const from = changes[card * change.size + change.from + period]!
      const to = changes[card * change.size + change.to]!
      if (from < minCents || to < minCents || directionOf(from, to) !== direction) return unlisted
      return -Math.abs(by === 'percent' ? percentTenths(from, to) : to - from)
    }
    return this.#scan(scope, undefined, keyOf, paging)
  }

  /** @param given scanned in place of the scope's shortest list */
  #scan(
    scope: Scope | null,
    given: readonly CardRange[] | undefined,
    keyOf: KeyOf,
    { limit, offset }: Paging,
  ): HitPage {
    const { scopeLists, inScope, selection, page } = this.#parts
    page.total = 0
    page.count = 0
    if (scope === null) return page
    inScope.start(scope, scope.game)
    for (const { cards, from, to } of given ?? scopeLists.shortest(scope)) {
      for (let i = from; i < to; i++) {
        const card = cards[i]!
        if (!inScope.has(card)) continue
        const key = keyOf(card)
        if (key !== unlisted) selection.add(card, key)
      }
    }
    page.total = selection.count
    selection.fill(page, offset, offset + limit)
    return page
  }
}
