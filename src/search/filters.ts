/** Which cards a search is about: a game, sets by code or name, a rarity. */
import { noRarity, type SearchFile } from '../indexes/search-file.ts'
import { foldCase } from './fold.ts'

export interface Filter {
  /** The game's number, -1 for all games. */
  readonly game: number
  /** A set code, or else the display name of one or more sets; without regard to case. */
  readonly set: string | undefined
  /** The whole label, without regard to case. */
  readonly rarity: string | undefined
}

/** A filter as numbers. */
export interface Scope {
  /** -1 for all games */
  readonly game: number
  /** null for all sets */
  readonly sets: readonly number[] | null
  /** `noRarity` for all cards */
  readonly rarity: number
}

export class Filters {
  readonly #file: SearchFile
  readonly #byCode = new Map<string, number[]>()
  readonly #byName = new Map<string, number[]>()
  readonly #rarities: ReadonlyMap<string, number>

  constructor(file: SearchFile) {
    this.#file = file
    file.sets.forEach(({ code, name }, number) => {
      addTo(this.#byCode, code, number)
      addTo(this.#byName, name, number)
    })
    this.#rarities = new Map(file.rarities.map((rarity, number) => [rarity, number]))
  }

  /** The filter's scope, or null if nothing has the set or the rarity. */
  scope({ game, set, rarity }: Filter): Scope | null {
    const sets = set === undefined ? null : this.#sets(foldCase(set), game)
    const rarityNumber = rarity === undefined ? noRarity : this.#rarities.get(foldCase(rarity))
    if (sets?.length === 0 || rarityNumber === undefined) return null
    return { game, sets, rarity: rarityNumber }
  }

  /** The sets with that code in the game, or if there is none, those with that name. */
  #sets(set: string, game: number): number[] {
    const coded = this.#inGame(this.#byCode.get(set), game)
    return coded.length > 0 ? coded : this.#inGame(this.#byName.get(set), game)
  }

  #inGame(sets: readonly number[] = [], game: number): number[] {
    return sets.filter((set) => game === -1 || this.#file.sets[set]!.game === game)
  }
}

function addTo(lists: Map<string, number[]>, key: string, number: number): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [number])
  else list.push(number)
}
