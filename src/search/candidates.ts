/**
 * Gathers the names that may match a query. Each name is gathered once, together with its preliminary rank. If several
 * words of the name lead to it, it gets the best of their ranks.
 */
import { endOf } from '../indexes/bounds.ts'
import type { SearchFile } from '../indexes/search-file.ts'
import type { Scope } from './scope/filters.ts'
import type { Found } from './words/query.ts'

/** The rank of a name depends on where in the name the word stands: as the first word, or later. */
export interface PlaceRanks {
  readonly asFirst: number
  readonly later: number
}

/**
 * The rank of a name depends on how the query word fits a word of the name: as the whole word, as its beginning, or
 * inside it.
 */
export interface FoundRanks {
  readonly whole: PlaceRanks
  readonly beginning: PlaceRanks
  /** Only Japanese query words are looked for inside words. */
  readonly inside: PlaceRanks
}

export class Candidates {
  readonly #file: SearchFile
  /** By name: the best rank so far, plus one, or 0 if the name is not gathered. Between queries, all entries are 0. */
  readonly #gathered: Uint8Array
  /**
   * The gathered names. Only the first `count` entries of `names` and `ranks` are valid. `ranks[i]` is the rank of
   * `names[i]`.
   */
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
   * Gathers the names of the scope's game that have the query word, or a word that the vocabulary finds for it.
   * @param corrections further words, which differ from the query word by typos. Names with one of these words are
   * gathered, too, with the ranks of a whole word
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

  /** Gathers the names of the game (-1: of all games) that have one of the words from `first` up to `end`. */
  #addHolders(first: number, end: number, game: number, { asFirst, later }: PlaceRanks): void {
    const { postings, postingsAt, nameGame } = this.#file
    const gathered = this.#gathered
    const names = this.names
    let count = this.count
    const to = endOf(postingsAt, end - 1, postings.length)
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

  /** Gathers these names, and gives them rank 0. None of them may be gathered already. */
  addNames(names: readonly number[], { game }: Scope): void {
    for (const name of names) {
      if (game !== -1 && this.#file.nameGame[name] !== game) continue
      this.#gathered[name] = 1
      this.names[this.count++] = name
    }
  }

  /** Call it once all names are gathered. It fills `ranks`. From then on, callers may drop names. */
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

  /** Sets the ranked names aside. Until `addAside` is called, none of these names is gathered again. */
  setAside(): void {
    for (let i = 0; i < this.count; i++) this.#gathered[this.names[i]!] = 1
    this.#swap()
    this.count = 0
  }

  /**
   * Joins the names set aside with those ranked since. Lower ranks are better.
   * @param leastRank the names ranked since get this rank if theirs is lower
   */
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
