/**
 * The games of the data: their ids, their names in lists, and the language of their cards. Eight games are built in. A
 * version of the data may have others. They are loaded only for a list that may name one of them.
 */
import { folded, languageOf } from './words.ts'

export interface NamedGame {
  readonly id: string
  readonly name: string
  readonly language: 'English' | 'Japanese'
  /** Other names of the game in lists. */
  readonly words: readonly string[]
}

/** The built-in games, by id: the language of the cards, and the game's names in lists, folded. */
const first: Readonly<Record<string, readonly [language: 'en' | 'ja', names: string]>> = {
  pokemon: ['en', 'pokemontcg'],
  pokemonjp: ['ja', 'pokemonjapan, pokemonjapanese'],
  mtg: ['en', 'magic, magicthegathering'],
  yugioh: ['en', 'yugiohtcg, ygo'],
  lorcana: ['en', 'lorcanatcg, disneylorcana'],
  onepiece: ['en', 'onepiececardgame, onepiecetcg'],
  swu: ['en', 'starwarsunlimited'],
  fab: ['en', 'fleshandblood, fleshbloodtcg, fleshandbloodtcg'],
}
export const firstGames = Object.keys(first)

/** The form of a card's id; the part before the first hyphen is its game. */
export const idForm = /^([a-z][a-z0-9]{1,19})-[a-z0-9._~-]+$/

/** The most characters of a text that are compared with the names of games. */
const wordCharsMax = 60

const wordIn = (text: string): string => folded(text.slice(0, wordCharsMax))

export class KnownGames {
  readonly #languages = new Map<string, string>()
  readonly #byWord = new Map<string, string>()

  constructor(rows: readonly NamedGame[] = []) {
    for (const [id, [language, names]] of Object.entries(first)) this.#add(id, language, names.split(', '))
    for (const { id, name, language, words } of rows) this.#add(id, languageOf(language), [name, ...words])
  }

  #add(id: string, language: string, words: readonly string[]): void {
    this.#languages.set(id, language)
    // A word of two games means the first of them.
    for (const word of [id, ...words].map(wordIn)) {
      if (word !== '' && !this.#byWord.has(word)) this.#byWord.set(word, id)
    }
  }

  has(id: string): boolean {
    return this.#languages.has(id)
  }

  /** True for the id of a card of one of these games. */
  hasCard(id: string): boolean {
    const game = idForm.exec(id)?.[1]
    return game !== undefined && this.has(game)
  }

  /** Returns the id of the game that a list calls by this text; undefined if there is none. */
  find(text: string): string | undefined {
    const word = wordIn(text)
    return this.#byWord.get(word) ?? this.#byWord.get(word.replace(/[^a-z]/g, ''))
  }

  /** True if the game's cards, and so its prices, are in the language that a list names. */
  isLanguageOf(language: string, game: string): boolean {
    return languageOf(language) === this.#languages.get(game)
  }
}

export const onlyFirstGames = new KnownGames()
