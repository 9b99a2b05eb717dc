/** What is known of the data's sets and games, by which values of columns are judged. */
import { type KnownGames, onlyFirstGames } from './known-games.ts'
import { folded } from './words.ts'

/** Undefined for what is not known yet. */
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
  /** True if a set is of a game that is not one of the first. */
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
