/**
 * The names that a query looks at, each once, with what is known of their ranks. They are gathered from lists that may
 * hold a name more than once; the best rank counts.
 */
import type { SearchFile } from '../indexes/search-file.ts'
import type { Scope } from './scope/filters.ts'
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
  names: Uint32Array
  ranks: Uint16Array
  count = 0
  #aside: Pick<Candidates, 'names' | 'ranks' | 'count'>

  constructor(file: SearchFile) {
    this.#file = file
    this.#gathered = new Uint8Array(file.nameGame.length)
    this.names = new Uint32Array(file.nameGame.length)
    this.ranks = new Uint16Array(file.nameGame.length)
    this.#aside = { names: this.names.slice(), ranks: this.ranks.slice(), count: 0 }
  }

  /**
   * Gathers the names of the scope's game that hold the query word, or a word that it finds.
   * @param corrections other words of which names are gathered, like whole ones
   */
  addFoundBy(
    { first, end, inside, whole }: Found,
    { game }: Scope,
    ranks: FoundRanks,
    corrections: readonly number[] = [],
  ): void {
    for (const word of corrections) this.#addHolders(word, word + 1, game, ranks.whole)
    if (whole !== -1) this.#addHolders(whole, whole + 1, game, ranks.whole)
    this.#addHolders(whole === -1 ? first : first + 1, end, game, ranks.beginning)
    if (inside === null) return
    for (const word of inside) if (word < first || word >= end) this.#addHolders(word, word + 1, game, ranks.inside)
  }

  /** Gathers the names of the game (-1: of all) that hold a word from `first` up to `end`. */
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
  addNames(names: readonly number[], { game }: Scope): void {
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

  /** Sets the ranked names aside. Until `addAside`, no name of them is gathered again. */
  setAside(): void {
    for (let i = 0; i < this.count; i++) this.#gathered[this.names[i]!] = 1
    this.#swap()
    this.count = 0
  }

  /** Adds the ranked names that were gathered since to those set aside. They have at least `leastRank`. */
  addAside(leastRank: number): void {
    const { names, ranks, count } = this
    this.#swap()
    for (let i = 0; i < this.count; i++) this.#gathered[this.names[i]!] = 0
    for (let i = 0; i < count; i++) {
      this.names[this.count] = names[i]!
      this.ranks[this.count++] = Math.max(ranks[i]!, leastRank)
    }
  }

  #swap(): void {
    const { names, ranks, count } = this.#aside
    this.#aside = { names: this.names, ranks: this.ranks, count: this.count }
    this.names = names
    this.ranks = ranks
    this.count = count
  }
}
