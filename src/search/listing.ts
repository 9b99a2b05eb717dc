/**
 * The cards of a game, a set or an id elsewhere, narrowed and in any order, without a name to go by.
 *
 *   filter ─► scope ─► its shortest list ─ what is in scope is counted ─► a page of it
 *
 * In the order of equals, in which lists are, one pass counts the list and fills the page. In another one the page is taken
 * in the cheaper of two ways, as that of a rank is in hits.ts: by walking through the order until the page is full, or by
 * collecting the list's cards and sorting the page's part.
 */
import { type ListsFile, noPrice, noPrinting, type Order } from '../indexes/lists-file.ts'
import { noRarity, type SearchFile } from '../indexes/search-file.ts'
import { searchLimitMax } from '../limits.ts'
import { everyCard, type Filter, type Filters, type Scope } from './filters.ts'
import type { HitPage } from './hits.ts'
import { InScope } from './in-scope.ts'
import { placeOfProduct, placeOfUuid } from './numbers.ts'
import type { Orders, Sort } from './orders.ts'
import { commonRuns, type Runs, type ScopeRuns, shorter } from './runs.ts'
import { sortWindow } from './select.ts'

/** What cards are called elsewhere; of each that is given a card must have it. */
export interface IdsElsewhere {
  readonly tcgplayer?: number | undefined
  readonly scryfall?: string | undefined
  readonly mtgjson?: string | undefined
}

/** Steps of the walk through an order that cost as much as collecting and placing one card. */
const walkStepsPerCollected = 4

export class Listing {
  readonly #lists: ListsFile
  readonly #filters: Filters
  readonly #orders: Orders
  readonly #scopeRuns: ScopeRuns
  readonly #inScope: InScope
  readonly #collected: Uint32Array
  readonly #page: HitPage = { total: 0, count: 0, cards: new Uint32Array(searchLimitMax) }
  #scope: Scope = everyCard

  constructor(file: SearchFile, lists: ListsFile, filters: Filters, orders: Orders, runs: ScopeRuns) {
    this.#lists = lists
    this.#filters = filters
    this.#orders = orders
    this.#scopeRuns = runs
    this.#inScope = new InScope(file, lists)
    this.#collected = new Uint32Array(lists.cardGame.length)
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
    const byId = this.#listsOf(ids)
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

  /** The cards of each id that is given; null if one is no card's. */
  #listsOf({ tcgplayer, scryfall, mtgjson }: IdsElsewhere): readonly Runs[] | null {
    const lists = this.#lists
    const runs = this.#scopeRuns
    const found: (Runs | null)[] = []
    if (tcgplayer !== undefined) found.push(runs.ofProduct(placeOfProduct(lists, tcgplayer)))
    if (scryfall !== undefined) found.push(runs.ofScryfall(placeOfUuid(lists.scryfallIds, scryfall)))
    if (mtgjson !== undefined) found.push(runs.ofMtgjson(placeOfUuid(lists.mtgjsonIds, mtgjson)))
    return found.some((one) => one === null) ? null : (found as Runs[])
  }

  /** A list that has all cards of the scope. */
  #listOf(scope: Scope, byId: readonly Runs[]): Runs | null {
    if (byId.length > 0) return commonRuns(byId)
    const { game } = scope
    const shortest = this.#scopeRuns.shortest(scope, Number.POSITIVE_INFINITY)
    return game === -1 ? shortest : shorter(shortest, this.#scopeRuns.ofGame(game))
  }
  /** @param isWhole all its cards are in scope */
  #fillInPass({ runs, count }: Runs, isWhole: boolean, limit: number, offset: number): void {
    const page = this.#page
    const { cards, from, to } = runs[0]!
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

  /** @param canWalk whether a card is in the list can be seen from the card */
  #fill(list: Runs, isWhole: boolean, order: Order | null, canWalk: boolean, limit: number, offset: number): void {
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

  #countInScope({ runs }: Runs): number {
    const inScope = this.#inScope
    let count = 0
    for (const { cards, from, to } of runs) {
      for (let i = from; i < to; i++) if (inScope.has(cards[i]!)) count++
    }
    return count
  }

  /** False, with nothing added, if the cards are not found before the rank `end`. */
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

  #collect({ runs }: Runs, isWhole: boolean, order: Order | null, from: number, to: number): void {
    const page = this.#page
    const inScope = this.#inScope
    const collected = this.#collected
    let count = 0
    for (const run of runs) {
      for (let i = run.from; i < run.to; i++) {
        const card = run.cards[i]!
        if (isWhole || inScope.has(card)) collected[count++] = order === null ? card : order.rankOf[card]!
      }
    }
    sortWindow(collected, count, from, to)
    for (let i = from; i < to; i++) {
      page.cards[page.count++] = order === null ? collected[i]! : order.cardAt[collected[i]!]!
    }
  }
}

/** How many things a card must be to be in scope. A scope's sets are of its game. */
const countOfBounds = ({ game, sets, rarity, printing, number, maxCents }: Scope): number =>
  Number(game !== -1 || sets !== null) +
  Number(rarity !== noRarity) +
  Number(printing !== noPrinting) +
  Number(number !== -1) +
  Number(maxCents !== noPrice)
