/**
 * Finds sets by words of their names and by codes. Cross-fields and matches look up single words. `find` ranks sets as
 * a search ranks names, but without typos. There are only about a thousand sets, so `find` compares the query with each
 * of them.
 */
import type { SearchFile } from '../indexes/search-file.ts'
import { fold, foldCode, foldName, isJapanese } from '../names/fold.ts'

const noSets: ReadonlySet<number> = new Set()

export class SetWords {
  readonly #games: readonly number[]
  /** By set number: the folded words of the set's name. */
  readonly #words: readonly (readonly string[])[]
  readonly #codes: readonly string[]
  readonly #byWord = new Map<string, Set<number>>()
  readonly #byCode = new Map<string, Set<number>>()
  readonly #byName = new Map<string, Set<number>>()

  constructor({ sets }: SearchFile) {
    this.#games = sets.map(({ game }) => game)
    this.#words = sets.map(({ name }) => fold(name))
    this.#codes = sets.map(({ code }) => foldCode(code))
    sets.forEach(({ name, short }, set) => {
      for (const word of this.#words[set]!) addTo(this.#byWord, word, set)
      if (this.#codes[set] !== '') addTo(this.#byCode, this.#codes[set]!, set)
      for (const one of [name, short]) if (one !== '') addTo(this.#byName, foldName(one), set)
    })
  }

  /** The folded words of a set's name. */
  wordsOf(set: number): readonly string[] {
    return this.#words[set]!
  }

  /** The sets of all games whose name has the folded word as a whole word. */
  withWord(word: string): ReadonlySet<number> {
    return this.#byWord.get(word) ?? noSets
  }

  /** The sets of all games with that code. @param code folded by `foldCode` */
  withCode(code: string): ReadonlySet<number> {
    return this.#byCode.get(code) ?? noSets
  }

  /** The sets of all games with that name or short name. @param name folded by `foldName` */
  withName(name: string): ReadonlySet<number> {
    return this.#byName.get(name) ?? noSets
  }

  /**
   * Returns the sets of the game (-1: of all games) whose name or code matches, the best first. Sets of equal rank are
   * in the order of their numbers.
   */
  find(query: string, game: number): number[] {
    const asked = fold(query)
    const code = asked.join('')
    const found: { set: number; rank: number }[] = []
    if (asked.length === 0) return found.map(({ set }) => set)
    for (let set = 0; set < this.#words.length; set++) {
      if (game !== -1 && this.#games[set] !== game) continue
      const rank = this.#codes[set] === code ? 0 : rankOf(asked, this.#words[set]!)
      if (rank !== noMatch) found.push({ set, rank })
    }
    return found.sort((a, b) => a.rank - b.rank || a.set - b.set).map(({ set }) => set)
  }
}

const noMatch = -1
const equal = 0
const whole = 1
const beginnings = 4

/**
 * Returns a rank like those of names in rank.ts. 0: the name has exactly the query's words, in their order. 1, 2 and 3:
 * all query words are whole words of the name, and they are its first words, in order, or in another order. 4, 5 and 6:
 * the same, but a query word is only a prefix of a word.
 */
function rankOf(asked: readonly string[], words: readonly string[]): number {
  if (!asked.every((word) => words.some((other) => finds(word, other)))) return noMatch
  const areWhole = asked.every((word) => words.includes(word))
  const fits = (word: string, other: string) => (areWhole ? word === other : other.startsWith(word))
  const step = areWhole ? whole : beginnings
  if (asked.length <= words.length && asked.every((word, i) => fits(word, words[i]!))) {
    return areWhole && asked.length === words.length ? equal : step
  }
  let place = 0
  for (const word of asked) {
    while (place < words.length && !fits(word, words[place]!)) place++
    place++
  }
  return place <= words.length ? step + 1 : step + 2
}

const finds = (asked: string, word: string): boolean =>
  isJapanese(asked) ? word.includes(asked) : word.startsWith(asked)

function addTo(sets: Map<string, Set<number>>, key: string, set: number): void {
  const known = sets.get(key)
  if (known === undefined) sets.set(key, new Set([set]))
  else known.add(set)
}
