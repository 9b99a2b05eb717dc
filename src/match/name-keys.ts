/** Finds keys of names: the key that equals a given one, and keys that differ from it by a typo in one word. */
import { endOf } from '../indexes/bounds.ts'
import type { ListsFile } from '../indexes/lists-file.ts'
import { compareText, firstFrom } from '../search/scope/number-index.ts'
import { TextTable } from '../search/scope/text-table.ts'
import type { Search } from '../search/search.ts'
import { mayHaveTypo } from '../search/words/query.ts'

/** A key's cards are the entries of `keyCards` from `from` up to, but not including, `to`. */
type KeyCards = readonly [from: number, to: number]

/** By word: the words that differ from it by one typo. A request looks them up only once for each word. */
export type KnownTypos = Map<string, readonly string[]>

const noCards: KeyCards = [0, 0]
/** A call looks for typos in at most this many words of a key. */
const wordsMax = 4

export class NameKeys {
  readonly #lists: ListsFile
  readonly #search: Search
  readonly #table: TextTable

  constructor(lists: ListsFile, search: Search) {
    this.#lists = lists
    this.#search = search
    this.#table = new TextTable(lists.keyText, lists.keyTextAt)
  }

  find(key: string): KeyCards {
    const { keyCardsAt, keyCards } = this.#lists
    const place = this.#table.find(key)
    return place === -1 ? noCards : [keyCardsAt[place]!, endOf(keyCardsAt, place, keyCards.length)]
  }

  /**
   * Returns texts that may be keys, and differ from the key by a typo in one word of four Latin letters or more. If
   * some of these words occur in no name, only they are tried, otherwise all of them, but at most `wordsMax`. Once no
   * key begins with the words before a word, neither this word nor a later one can be the only wrong word, and the
   * search ends.
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
