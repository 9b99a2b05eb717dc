/** Selects the best names without sorting all of them. */
import type { Candidates } from './candidates.ts'

export interface NameList {
  count: number
  /** Valid up to `count`. */
  readonly names: Uint32Array
}

export class BestNames implements NameList {
  count = 0
  readonly names: Uint32Array
  readonly #ranks: Uint16Array

  constructor(countMax: number) {
    this.names = new Uint32Array(countMax)
    this.#ranks = new Uint16Array(countMax)
  }

  /** The first `limit` by rank. Equal ranks are in the order of name numbers, which is that of their first cards. */
  of(candidates: Candidates, limit: number): NameList {
    const { count } = candidates
    this.count = 0
    for (let i = 0; i < count; i++) {
      const name = candidates.names[i]!
      const rank = candidates.ranks[i]!
      if (this.count < limit) this.count++
      else if (!this.#isAfter(limit - 1, rank, name)) continue
      this.#insert(rank, name)
    }
    return this
  }

  /** True if the entry at that place comes after the name. */
  #isAfter(place: number, rank: number, name: number): boolean {
    const ranks = this.#ranks
    return ranks[place]! > rank || (ranks[place] === rank && this.names[place]! > name)
  }

  /** Inserts into a list whose last place is free. */
  #insert(rank: number, name: number): void {
    let place = this.count - 1
    for (; place > 0 && this.#isAfter(place - 1, rank, name); place--) {
      this.names[place] = this.names[place - 1]!
      this.#ranks[place] = this.#ranks[place - 1]!
    }
    this.names[place] = name
    this.#ranks[place] = rank
  }
}
