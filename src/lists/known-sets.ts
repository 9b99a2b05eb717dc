/** The sets and games of the data, by which the values of columns are judged. */
import { type KnownGames, onlyFirstGames } from './known-games.ts'
import { folded } from './words.ts'

/** The sets and the games of the data. Each is undefined until it is loaded. */
export interface KnownData {
  readonly sets?: KnownSets | undefined
  readonly games?: KnownGames | undefined
}

interface NamedSet {
  readonly name: string
  readonly code: string
  readonly game: string
}

const prefix = /^[A-Z0-9&-]{1,8}(?:: | - )/

export class KnownSets {
  readonly #texts = new Set<string>()
  /** True if a set belongs to a game that is not built in. */
  hasOtherGames = false

  add(sets: readonly NamedSet[]): void {
    for (const { name, code, game } of sets) {
      this.hasOtherGames ||= !onlyFirstGames.has(game)
      for (const text of [name, name.replace(prefix, ''), code]) this.#texts.add(folded(text))
    }
  }

  /** True for a set's code, its name, or its name without the publisher's prefix. */
  has(text: string): boolean {
    return text !== '' && this.#texts.has(folded(text))
  }
}
