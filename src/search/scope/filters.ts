/**
 * The filter of a search or a list. It may restrict the game, the set, the rarity, the printing, the collector's
 * number, the market price, and the day of the last change.
 */
import { noDay } from '../../calendar.ts'
import { type ListsFile, noPrice } from '../../indexes/lists-file.ts'
import { noRarity, type SearchFile } from '../../indexes/search-file.ts'
import { priceCentsMax } from '../../limits.ts'
import { foldCase } from '../../names/fold.ts'
import { Printings } from '../../names/printings.ts'
import { numberIndex } from './number-index.ts'

export interface Filter {
  /** The game's number, -1 for all games. */
  readonly game: number
  /**
   * A set's code. If no set has this code, it is a set's name, or else a set's short name. Case is ignored.
   */
  readonly set: string | undefined
  /** The rarity's whole name, without regard to case. */
  readonly rarity: string | undefined
  /** The printing's name, or other words for it (`Printings`). */
  readonly printing?: string | undefined
  /** The collector's number, compared by `foldNumber`. */
  readonly number?: string | undefined
  /** Bounds of the market price, inclusive. With a bound, a card without a market price never matches. */
  readonly minCents?: number | undefined
  readonly maxCents?: number | undefined
  /** Only cards that changed after this day. */
  readonly changedSince?: number | undefined
}

/** A filter as index numbers. */
export interface Scope {
  /** -1 for all games */
  readonly game: number
  /** null for all sets */
  readonly sets: readonly number[] | null
  /** `noRarity` for all cards */
  readonly rarity: number
  /** null for all cards */
  readonly printings: readonly number[] | null
  /** -1 for all cards */
  readonly number: number
  /** Bounds of the market price, inclusive. 0 and `noPrice` include all cards, also those without a price. */
  readonly minCents: number
  readonly maxCents: number
  /** `noDay` for all cards. */
  readonly changedSince: number
}

export const everyCard: Scope = {
  game: -1,
  sets: null,
  rarity: noRarity,
  printings: null,
  number: -1,
  minCents: 0,
  maxCents: noPrice,
  changedSince: noDay,
}

/** True if every card is in scope. */
export const asksNothing = (scope: Scope): boolean =>
  conditions.every((condition) => scope[condition] === everyCard[condition])

const conditions = Object.keys(everyCard) as (keyof Scope)[]

export class Filters {
  readonly #file: SearchFile
  readonly #lists: ListsFile
  readonly #byCode: ReadonlyMap<string, readonly number[]>
  readonly #byName: ReadonlyMap<string, readonly number[]>
  readonly #rarities: ReadonlyMap<string, number>
  readonly #byShortName: ReadonlyMap<string, readonly number[]>
  readonly #printings: Printings

  constructor(file: SearchFile, lists: ListsFile) {
    this.#file = file
    this.#lists = lists
    this.#byCode = Map.groupBy(file.sets.keys(), (set) => file.sets[set]!.code)
    this.#byName = Map.groupBy(file.sets.keys(), (set) => file.sets[set]!.name)
    this.#rarities = new Map(file.rarities.map((rarity, number) => [rarity, number]))
    this.#byShortName = Map.groupBy(file.sets.keys(), (set) => file.sets[set]!.short)
    this.#printings = new Printings(lists.printings)
  }

  /** Returns the filter's scope; null if no card has the set, the rarity, the printing or the number. */
  scope({ game, set, rarity, printing, number, minCents, maxCents, changedSince = noDay }: Filter): Scope | null {
    const sets = set === undefined ? null : this.#sets(foldCase(set), game)
    const rarityNumber = rarity === undefined ? noRarity : this.#rarities.get(foldCase(rarity))
    const printings = printing === undefined ? null : this.#printings.kept(printing)
    if (sets?.length === 0 || rarityNumber === undefined || printings?.length === 0) return null
    const place = number === undefined ? -1 : numberIndex(this.#lists, number)
    if (number !== undefined && place === -1) return null
    const isPriced = minCents !== undefined || maxCents !== undefined
    return {
      game,
      sets,
      rarity: rarityNumber,
      printings,
      number: place,
      minCents: minCents ?? 0,
      maxCents: isPriced ? Math.min(maxCents ?? priceCentsMax, priceCentsMax) : noPrice,
      changedSince,
    }
  }

  /** Returns the game's sets with that code, without regard to case. */
  setsWithCode(code: string, game: number): number[] {
    return this.#inGame(this.#byCode.get(foldCase(code)), game)
  }

  /** Returns the game's sets with that code; if there are none, those with that name, or else with that short name. */
  #sets(set: string, game: number): number[] {
    for (const sets of [this.#byCode, this.#byName, this.#byShortName]) {
      const found = set === '' ? [] : this.#inGame(sets.get(set), game)
      if (found.length > 0) return found
    }
    return []
  }

  #inGame(sets: readonly number[] = [], game: number): number[] {
    return sets.filter((set) => game === -1 || this.#file.sets[set]!.game === game)
  }
}
