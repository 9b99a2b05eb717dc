/** Lists cards without a query: those of a filter or of ids elsewhere in any order, and those that moved in price. Scans them. */
import { type ChangesFile, change, directionOf, percentTenths } from '../indexes/changes-file.ts'
import { searchLimitMax } from '../limits.ts'
import type { SearchParts } from './parts.ts'
import type { Filter, Scope } from './scope/filters.ts'
import type { KeyOf, Sort } from './scope/orders.ts'
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
  readonly #changes: Uint32Array
  readonly #page: HitPage = { total: 0, count: 0, cards: new Uint32Array(searchLimitMax) }

  constructor(parts: SearchParts, { changes }: ChangesFile) {
    this.#parts = parts
    this.#changes = changes
  }

  /** `limit` of the filter's cards that have all the given ids, after the first `offset`. */
  cards(filter: Filter, ids: IdsElsewhere, limit: number, offset: number, sort: Sort): HitPage {
    const { filters, scopeLists, orders } = this.#parts
    const scope = filters.scope(filter)
    const byId = scopeLists.ofIds(ids)
    return this.#scan(scope, byId === null ? [] : byId, orders[sort], limit, offset)
  }

  /** `limit` of the movers of a game and a set after the first `offset`, the largest change first. */
  movers({ game, set }: Pick<Filter, 'game' | 'set'>, movement: Movement, limit: number, offset: number): HitPage {
    const { period, direction, by, minCents } = movement
    const changes = this.#changes
    const scope = this.#parts.filters.scope({ game, set, rarity: undefined })
    const keyOf = (card: number) => {
      const from = changes[card * change.size + change.from + period]!
      const to = changes[card * change.size + change.to]!
      if (from < minCents || to < minCents || directionOf(from, to) !== direction) return unlisted
      return -Math.abs(by === 'percent' ? percentTenths(from, to) : to - from)
    }
    return this.#scan(scope, undefined, keyOf, limit, offset)
  }

  /** @param given scanned in place of the scope's shortest list */
  #scan(
    scope: Scope | null,
    given: readonly CardRange[] | undefined,
    keyOf: KeyOf,
    limit: number,
    offset: number,
  ): HitPage {
    const { scopeLists, inScope, selection } = this.#parts
    const page = this.#page
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
