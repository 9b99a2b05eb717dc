/**
 * Sets of names as bits, for words that very many names have: an intersection takes one step for 32 names.
 *
 *   name                                 0 1 2 3 4 5 6 7 …
 *   has a word that begins with g        0 1 1 0 1 0 0 1 …   cached, as for each single letter: they are frequent
 *   … with co                            0 1 0 0 0 0 1 1 …
 *   both                                 0 1 0 0 0 0 0 1 …
 */
import type { SearchFile } from '../indexes/search-file.ts'
import type { Found, QueryWord } from './words/query.ts'

const lastAscii = 0x7f

export class NameSets {
  readonly #file: SearchFile
  readonly #words: number
  /** By ASCII code. */
  readonly #ofLetters: (Uint32Array | undefined)[] = []
  readonly #common: Uint32Array
  readonly #ofWord: Uint32Array

  constructor(file: SearchFile) {
    this.#file = file
    this.#words = Math.ceil(file.nameGame.length / 32)
    this.#common = new Uint32Array(this.#words)
    this.#ofWord = new Uint32Array(this.#words)
  }

  /** The names that match all the words. Valid until the next call; the caller must not change it. */
  common(asked: readonly QueryWord[]): Uint32Array {
    if (asked.length === 1) return this.#foundBy(asked[0]!)
    const common = this.#common
    common.set(this.#foundBy(asked[0]!))
    for (let i = 1; i < asked.length; i++) {
      const others = this.#foundBy(asked[i]!)
      for (let k = 0; k < common.length; k++) common[k]! &= others[k]!
    }
    return common
  }

  #foundBy(asked: QueryWord): Uint32Array {
    const { text } = asked
    if (text.length === 1 && text.charCodeAt(0) <= lastAscii) return this.#ofLetter(asked)
    this.#ofWord.fill(0)
    return this.#add(this.#ofWord, asked)
  }

  #ofLetter(asked: QueryWord): Uint32Array {
    const code = asked.text.charCodeAt(0)
    this.#ofLetters[code] ??= this.#add(new Uint32Array(this.#words), asked)
    return this.#ofLetters[code]
  }

  #add(bits: Uint32Array, { first, end, inside }: Found): Uint32Array {
    if (inside === null) this.#addHolders(bits, first, end)
    else for (const word of inside) this.#addHolders(bits, word, word + 1)
    return bits
  }

  /** Adds the names that have a word from `first` up to `end`. */
  #addHolders(bits: Uint32Array, first: number, end: number): void {
    const { postings, postingsAt } = this.#file
    const to = postingsAt[end]!
    for (let i = postingsAt[first]!; i < to; i++) {
      const posting = postings[i]!
      bits[posting >>> 6]! |= 1 << ((posting >>> 1) & 31)
    }
  }
}

/** The index of the lowest bit that is set. */
export const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits)
