/**
 * Pages of the cards that moved up or down in a period, the largest change first.
 *
 *   games ─ byFloor: how many cost `minCents` or more before and after? ─► total
 *         ─ byPercent │ byAmount: ███ 20 ··· 8 ·· 3 …  merges the lists of all games, the largest change first
 *
 * Lists are by game, and have the cards at or above the default price first (src/indexes/changes-file.ts). So at that price
 * the page of a game is a slice of a list. For all games and other prices, the lists are merged, and cards that are too cheap
 * are skipped. If few cards remain, they are collected and sorted instead.
 */
import { gameSlugs } from '../games.ts'
import {
  type ChangesFile,
  change,
  directionOf,
  directions,
  moversCount,
  moversOf,
  type Places,
} from '../indexes/changes-file.ts'
import type { ListsFile } from '../indexes/lists-file.ts'
import { percentTenths } from '../indexes/price-change.ts'
import type { SearchFile } from '../indexes/search-file.ts'
import { moverCentsDefault, searchLimitMax } from '../limits.ts'
import type { HitPage } from './hits.ts'
import type { Filter, Filters, Scope } from './scope/filters.ts'
import { InScope } from './scope/in-scope.ts'
import { firstWhere } from './scope/numbers.ts'

export interface Movement {
  /** Index in `periods`. */
  readonly period: number
  readonly direction: number
  readonly by: 'percent' | 'amount'
  /** The lowest price before and after. */
  readonly minCents: number
}

/** Collects at most so many cards. A change times this, plus an index, is exact. */
const collectedMax = 8192
/** Steps of a walk that cost as much as collecting and sorting one card. */
const walkStepsPerCollected = 6

/** A cursor over a slice of a game's list: cards at or above the default price, or those below. */
class Walk {
  game = 0
  at = 0
  end = 0
  /** All of its cards match. */
  isFree = false
  /** The next card, -1 after the last one, and the size of its change. */
  card = -1
  key = 0

  start(game: number, at: number, end: number, isFree: boolean): void {
    this.game = game
    this.at = at
    this.end = end
    this.isFree = isFree
  }
}

export class Movers {
  readonly #changes: ChangesFile
  readonly #lists: ListsFile
  readonly #search: SearchFile
  readonly #filters: Filters
  readonly #page: HitPage = { total: 0, count: 0, cards: new Uint32Array(searchLimitMax) }
  readonly #walks = Array.from({ length: 2 * gameSlugs.length }, () => new Walk())
  readonly #inScope: InScope
  /** By list, how many cards cost the default price or more. */
  readonly #usual: Uint32Array
  /** By game, how many cards cost `minCents` or more. */
  readonly #enough = new Uint32Array(gameSlugs.length)
  readonly #collected = new Uint32Array(collectedMax)
  readonly #keys = new Float64Array(collectedMax)
  #steps = 0
  #movement: Movement = { period: 0, direction: 0, by: 'percent', minCents: 0 }

  constructor(changes: ChangesFile, lists: ListsFile, search: SearchFile, filters: Filters) {
    this.#changes = changes
    this.#lists = lists
    this.#search = search
    this.#filters = filters
    this.#inScope = new InScope(search, lists, changes)
    this.#usual = new Uint32Array(moversCount)
    for (let set = 0; set < moversCount; set++) {
      const period = Math.floor(set / moversOf(1, 0, 0))
      const direction = Math.floor(set / moversOf(0, 1, 0)) % directions.length
      this.#movement = { period, direction, by: 'percent', minCents: moverCentsDefault }
      this.#usual[set] = this.#dearEnough(set % gameSlugs.length)
    }
  }

  /**
   * `limit` of the movers after the first `offset`, of a game and a set. The returned page is reused by the next call.
   * @param limit at most `searchLimitMax`
   */
  find({ game, set }: Pick<Filter, 'game' | 'set'>, movement: Movement, limit: number, offset: number): HitPage {
    const page = this.#page
    page.total = 0
    page.count = 0
    const scope = this.#filters.scope({ game, set, rarity: undefined })
    if (scope === null) return page
    this.#movement = movement
    this.#inScope.start(scope, -1)
    page.total = scope.sets === null ? this.#countByFloor(game) : this.#collectSets(scope.sets)
    const to = Math.min(page.total, offset + limit)
    if (offset < to) {
      const canCollect = page.total <= collectedMax
      const stepsMax = canCollect ? page.total * walkStepsPerCollected : Number.POSITIVE_INFINITY
      const isCollected = canCollect && scope.sets !== null
      if (isCollected || !this.#walk(scope, stepsMax, offset, to)) {
        if (!isCollected) this.#collectByFloor(game)
        this.#sortCollected(offset, to)
      }
    }
    this.#inScope.clear()
    return page
  }

  /** Counts the cards that cost `minCents` or more, of the game or of all. */
  #countByFloor(game: number): number {
    const isUsual = this.#movement.minCents === moverCentsDefault
    let count = 0
    for (let of = 0; of < gameSlugs.length; of++) {
      if (game !== -1 && game !== of) this.#enough[of] = 0
      else this.#enough[of] = isUsual ? this.#usual[this.#setOf(of)]! : this.#dearEnough(of)
      count += this.#enough[of]!
    }
    return count
  }

  /** The same for one game. */
  #dearEnough(game: number): number {
    const { moversAt, byFloor } = this.#changes
    const set = this.#setOf(game)
    const start = moversAt[set]!
    return firstWhere(moversAt[set + 1]! - start, (at) => !this.#isEnough(this.#cardAt(game, byFloor, start + at)))
  }

  /** Counts the movers of the sets, and collects the first `collectedMax`. */
  #collectSets(sets: readonly number[]): number {
    const { setCardsAt, setCards } = this.#search
    const { direction } = this.#movement
    let count = 0
    for (const set of sets) {
      for (let i = setCardsAt[set]!; i < setCardsAt[set + 1]!; i++) {
        const card = setCards[i]!
        if (directionOf(this.#fromOf(card), this.#toOf(card)) !== direction || !this.#isEnough(card)) continue
        if (count < collectedMax) this.#collected[count] = card
        count++
      }
    }
    return count
  }

  #collectByFloor(game: number): void {
    const { moversAt, byFloor } = this.#changes
    let count = 0
    for (let of = 0; of < gameSlugs.length; of++) {
      if (game !== -1 && game !== of) continue
      const start = moversAt[this.#setOf(of)]!
      for (let i = 0; i < this.#enough[of]!; i++) this.#collected[count++] = this.#cardAt(of, byFloor, start + i)
    }
  }

  /** Sorts the collected cards and puts the page's part into the page. */
  #sortCollected(from: number, to: number): void {
    const page = this.#page
    const cards = this.#collected.subarray(0, page.total).sort()
    const keys = this.#keys.subarray(0, page.total)
    for (let i = 0; i < cards.length; i++) keys[i] = i - this.#keyOf(cards[i]!) * collectedMax
    keys.sort()
    for (let i = from; i < to; i++) {
      const key = keys[i]!
      page.cards[page.count++] = cards[key - Math.floor(key / collectedMax) * collectedMax]!
    }
  }

  /** Merges the lists. Returns false, and adds nothing, if it takes more than `stepsMax` steps. */
  #walk({ game, sets }: Scope, stepsMax: number, from: number, to: number): boolean {
    const page = this.#page
    let walks = 0
    let listed = 0
    for (let of = 0; of < gameSlugs.length; of++) {
      if (game !== -1 && game !== of) continue
      walks = this.#startWalks(of, sets === null, walks)
    }
    for (let i = 0; i < walks; i++) listed += this.#walks[i]!.end - this.#walks[i]!.at
    if ((listed * to) / page.total > stepsMax) return false
    const isPiece = walks === 1 && this.#walks[0]!.isFree
    if (isPiece) this.#walks[0]!.at += from
    this.#steps = 0
    for (let i = 0; i < walks; i++) this.#next(this.#walks[i]!)
    for (let found = isPiece ? from : 0; found < to; found++) {
      let first: Walk | undefined
      for (let i = 0; i < walks; i++) {
        const walk = this.#walks[i]!
        if (walk.card === -1) continue
        if (first === undefined || walk.key > first.key || (walk.key === first.key && walk.card < first.card))
          first = walk
      }
      if (first === undefined || this.#steps > stepsMax) {
        page.count = 0
        return false
      }
      if (found >= from) page.cards[page.count++] = first.card
      this.#next(first)
    }
    return true
  }

  /** Adds the game's cursors. @returns how many cursors there are */
  #startWalks(game: number, isOfAllSets: boolean, walks: number): number {
    const { moversAt } = this.#changes
    const { minCents } = this.#movement
    const enough = this.#enough[game]!
    if (isOfAllSets && enough === 0) return walks
    const set = this.#setOf(game)
    const start = moversAt[set]!
    const usual = this.#usual[set]!
    let count = walks
    if (usual > 0) this.#walks[count++]!.start(game, start, start + usual, isOfAllSets && enough >= usual)
    const end = moversAt[set + 1]!
    if (minCents < moverCentsDefault && start + usual < end) {
      this.#walks[count++]!.start(game, start + usual, end, isOfAllSets && start + enough === end)
    }
    return count
  }

  /** Moves the cursor to its next matching card. */
  #next(walk: Walk): void {
    const { byPercent, byAmount } = this.#changes
    const places = this.#movement.by === 'percent' ? byPercent : byAmount
    while (walk.at < walk.end) {
      this.#steps++
      const card = this.#cardAt(walk.game, places, walk.at++)
      if (!walk.isFree && !(this.#isEnough(card) && this.#inScope.has(card))) continue
      walk.card = card
      walk.key = this.#keyOf(card)
      return
    }
    walk.card = -1
  }

  #setOf(game: number): number {
    return moversOf(this.#movement.period, this.#movement.direction, game)
  }

  #cardAt(game: number, places: Places, at: number): number {
    return this.#lists.gameCards[this.#lists.gameCardsAt[game]! + places[at]!]!
  }

  #fromOf(card: number): number {
    return this.#changes.changes[card * change.size + change.from + this.#movement.period]!
  }

  #toOf(card: number): number {
    return this.#changes.changes[card * change.size + change.to]!
  }

  #isEnough(card: number): boolean {
    const { minCents } = this.#movement
    return this.#fromOf(card) >= minCents && this.#toOf(card) >= minCents
  }

  #keyOf(card: number): number {
    const from = this.#fromOf(card)
    const to = this.#toOf(card)
    return Math.abs(this.#movement.by === 'percent' ? percentTenths(from, to) : to - from)
  }
}
