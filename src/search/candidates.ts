/**
 * The names that a query looks at, each once, with what is known of their ranks. They are gathered from lists that may
 * hold a name more than once; the best rank counts.
 */
import type { SearchFile } from '../indexes/search-file.ts'
import type { Found } from './words/query.ts'

/** The ranks of a name by where it holds a word. */
export interface PlaceRanks {
  readonly asFirst: number
  readonly later: number
}

/** The ranks of a name by what the query word is of the word that it holds. */
export interface FoundRanks {
  readonly whole: PlaceRanks
  readonly beginning: PlaceRanks
  /** In Japanese alone. */
  readonly inside: PlaceRanks
}

export class Candidates {
  readonly #file: SearchFile
  /** The best rank of each name gathered, plus one; all 0 between queries. */
  readonly #gathered: Uint8Array
  /** Of these and of `ranks`, the first `count` count. */
  readonly names: Uint32Array
  readonly ranks: Uint16Array
  count = 0

  constructor(file: SearchFile) {
    this.#file = file
    this.#gathered = new Uint8Array(file.nameGame.length)
    this.names = new Uint32Array(file.nameGame.length)
    this.ranks = new Uint16Array(file.nameGame.length)
  }

  /**
   * Gathers the names of the game (-1: of all) that hold the query word, or a word that it finds.
   * @param corrections other words of which names are gathered, like whole ones
   */
  addFoundBy(
    { first, end, inside, whole }: Found,
    game: number,
    ranks: FoundRanks,
    corrections: readonly number[] = [],
  ): void {
    for (const word of corrections) this.#addHolders(word, word + 1, game, ranks.whole)
    if (whole !== -1) this.#addHolders(whole, whole + 1, game, ranks.whole)
    this.#addHolders(whole === -1 ? first : first + 1, end, game, ranks.beginning)
    if (inside === null) return
    for (const word of inside) if (word < first || word >= end) this.#addHolders(word, word + 1, game, ranks.inside)
  }

  /** The same for the words from `first` up to `end`. */
  #addHolders(first: number, end: number, game: number, { asFirst, later }: PlaceRanks): void {
    const { postings, postingsAt, nameGame } = this.#file
    const gathered = this.#gathered
    const names = this.names
    let count = this.count
    const to = postingsAt[end]!
    for (let i = postingsAt[first]!; i < to; i++) {
      const posting = postings[i]!
      const name = posting >>> 1
      const rank = 1 + ((posting & 1) === 0 ? asFirst : later)
      const known = gathered[name]!
      if (known === 0) {
        if (game !== -1 && nameGame[name] !== game) continue
        names[count++] = name
        gathered[name] = rank
      } else if (rank < known) {
        gathered[name] = rank
      }
    }
    this.count = count
  }

  /** Gathers names that are not gathered yet, with rank 0. */
  addNames(names: readonly number[], game: number): void {
    for (const name of names) {
      if (game !== -1 && this.#file.nameGame[name] !== game) continue
      this.#gathered[name] = 1
      this.names[this.count++] = name
    }
  }

  /** Every name is in: sets `ranks`; from now on names may be dropped. */
  close(): void {
    const { names, ranks, count } = this
    const gathered = this.#gathered
    for (let i = 0; i < count; i++) {
      const name = names[i]!
      ranks[i] = gathered[name]! - 1
      gathered[name] = 0
    }
  }

  clear(): void {
    this.count = 0
  }

  /** Removes the ranked names. Returns the rank of each. */
  take(): Map<number, number> {
    const taken = new Map<number, number>()
    for (let i = 0; i < this.count; i++) taken.set(this.names[i]!, this.ranks[i]!)
    this.count = 0
    return taken
  }

  /** Adds names that were taken. All others have at least `leastRank`. */
  addTaken(taken: ReadonlyMap<number, number>, leastRank: number): void {
    const { names, ranks } = this
    let kept = 0
    for (let i = 0; i < this.count; i++) {
      if (taken.has(names[i]!)) continue
      names[kept] = names[i]!
      ranks[kept++] = Math.max(ranks[i]!, leastRank)
    }
    this.count = kept
    for (const [name, rank] of taken) {
      names[this.count] = name
      ranks[this.count++] = rank
    }
  }
}
