/** The keys of names: those that equal a key, and those that differ from it by a typo in one word. */
import type { ListsFile } from '../indexes/lists-file.ts'
import { compareText, firstFrom, textIndex } from '../search/scope/number-index.ts'
import type { Search } from '../search/search.ts'

/** A key's cards in `keyCards`: from one index up to the other. */
type KeyCards = readonly [from: number, to: number]

const noCards: KeyCards = [0, 0]

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
   * Texts that may be keys and differ by a typo in one word of four Latin letters or more. If no key begins with the words up to
   * one, words behind it need no look.
   */
  withTypo(key: string): string[] {
    const words = key.split(' ')
    const found = new Set<string>()
    for (let i = 0, before = ''; i < words.length && (i === 0 || this.#hasPrefix(before)); before += `${words[i++]} `) {
      const behind = words.slice(i + 1).map((word) => ` ${word}`)
      for (const word of this.#search.wordsWithOneTypo(words[i]!)) {
        found.add(before + word + behind.join(''))
      }
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
