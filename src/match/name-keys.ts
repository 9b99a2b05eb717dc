/** The keys of names: those that equal a key, and those that differ from it by a typo in one word. */
import type { ListsFile } from '../indexes/lists-file.ts'
import { compareText, firstFrom, textIndex } from '../search/scope/number-index.ts'
import type { Search } from '../search/search.ts'
import { mayHaveTypo } from '../search/words/query.ts'

/** A key's cards in `keyCards`: from one index up to the other. */
type KeyCards = readonly [from: number, to: number]

/** By word, the words that differ from it by one typo. A request looks for those of a word once. */
export type KnownTypos = Map<string, readonly string[]>

const noCards: KeyCards = [0, 0]
const wordsMax = 4

export class NameKeys {
  readonly #lists: ListsFile
  readonly #search: Search

  constructor(lists: ListsFile, search: Search) {
    this.#lists = lists
    this.#search = search
  }

  find(key: string): KeyCards {
    const { keyTextAt, keyText, keyCardsAt } = this.#lists
    const place = textIndex(keyText, keyTextAt, key)
    return place === -1 ? noCards : [keyCardsAt[place]!, keyCardsAt[place + 1]!]
  }

  /**
   * Texts that may be keys and differ by a typo in one word of four Latin letters or more. It is looked for in words that no name
   * has, or else in any, and in `wordsMax` at most. If no key begins with the words up to one, it needs no look.
   */
  withTypo(key: string, typos: KnownTypos): string[] {
    const words = key.split(' ')
    const asked = words.map((word) => (mayHaveTypo(word) ? this.#search.askWord(word) : null))
    const places = [...words.keys()].filter((place) => asked[place] !== null)
    const unknown = places.filter((place) => asked[place]!.whole === -1)
    const found = new Set<string>()
    for (const place of (unknown.length > 0 ? unknown : places).slice(0, wordsMax)) {
      const before = words.slice(0, place).map((word) => `${word} `)
      if (place > 0 && !this.#hasPrefix(before.join(''))) break
      const word = words[place]!
      let corrections = typos.get(word)
      if (corrections === undefined) {
        corrections = this.#search.wordsWithOneTypo(asked[place]!)
        typos.set(word, corrections)
      }
      const behind = words.slice(place + 1).map((other) => ` ${other}`)
      for (const correction of corrections) found.add(before.join('') + correction + behind.join(''))
    }
    return [...found]
  }

  #hasPrefix(prefix: string): boolean {
    const { keyTextAt, keyText } = this.#lists
    const place = firstFrom(keyText, keyTextAt, prefix)
    const start = keyTextAt[place]!
    const fits = place < keyTextAt.length - 1 && keyTextAt[place + 1]! - start >= prefix.length
    return fits && compareText(keyText, start, start + prefix.length, prefix) === 0
  }
}
