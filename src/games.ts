/**
 * The games of a version or of a snapshot folder. Each game has a number, its index in the table. A number is valid
 * only within one table, so versions are compared by slugs.
 */
import { foldCode } from './names/fold.ts'

/** The fields of a game that a version contains. */
export interface Game {
  /** The game's slug. The ids of all its cards begin with it and a hyphen. */
  readonly id: string
  readonly name: string
  /** The language of the game's cards. A line of a valued list in another language gets no price. */
  readonly language: 'English' | 'Japanese'
  /** Further words for the game in lists, besides its id and its name. */
  readonly words: readonly string[]
}

/** The id of a game. */
export type GameSlug = string

/** A slug has no hyphen, so the part of an id before its first hyphen is the game's slug. */
export const slugForm = /^[a-z][a-z0-9]{1,19}$/

export class Games<Row extends Pick<Game, 'id' | 'name' | 'words'> = Game> {
  /** By number. */
  readonly rows: readonly Row[]
  readonly slugs: readonly string[]
  readonly #numbers: ReadonlyMap<string, number>
  readonly #byWord = new Map<string, number>()

  constructor(rows: readonly Row[]) {
    this.rows = rows
    this.slugs = rows.map(({ id }) => id)
    this.#numbers = new Map(this.slugs.map((slug, number) => [slug, number]))
    for (const [number, { id, name, words }] of rows.entries()) {
      // If two games share a word, it means the first game.
      for (const word of [id, name, ...words].map(foldCode)) {
        if (word !== '' && !this.#byWord.has(word)) this.#byWord.set(word, number)
      }
    }
  }

  /** The game's number, or -1 if there is no such game. */
  numberOf(slug: string): number {
    return this.#numbers.get(slug) ?? -1
  }

  row(slug: string): Row | undefined {
    return this.rows[this.numberOf(slug)]
  }

  /** The number of the game with this id, name or other word; undefined if there is none. @param text as in a list */
  find(text: string): number | undefined {
    return this.#numbers.get(text) ?? this.#byWord.get(foldCode(text))
  }
}
