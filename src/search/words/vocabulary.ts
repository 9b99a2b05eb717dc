/**
 * The words of all names, each once. A query word finds them by their beginning, or, if it is Japanese, by any part of
 * them. FlexSearch is the dictionary: for a key of one or two letters, it has the ascending numbers of the words with
 * that key. A longer query word is looked for only among the words of one of its keys.
 *
 *   a word      its keys                 a query word   what it finds
 *   dragonite   d, dr                    dragoni        of the words with key dr (4017 … 4102) the range 4060 … 4066
 *   カプコケ    カ, カプ, プ, プコ, …    プコケ         of the words with key プコ, or コケ if those are fewer: 19012, 20333
 *
 * What `dragoni` finds is a range, because words are sorted.
 */
import { Index } from 'flexsearch'
import type { SearchFile } from '../../indexes/search-file.ts'
import { asTyped, fold, isJapanese, joinedWords } from '../../names/fold.ts'
import { type Found, type Query, QueryWord } from './query.ts'

const keyLength = 2

/** `load` looks at the clock after some words, so a slice may take a little longer. */
const sliceMs = 2
const wordsBetweenLooks = 16

/** With a limit as high as this, FlexSearch returns its own list of all hits and copies nothing. */
const allHits = Number.MAX_SAFE_INTEGER

export class Vocabulary {
  readonly #postingsAt: Uint32Array
  /** The text of each word, by its number. */
  readonly #words: string[] = []
  readonly #byKey = new Index({
    // A key is also found by each of its beginnings.
    tokenize: 'forward',
    resolution: 1,
    cache: false,
    fastupdate: false,
    encode: (keys) => (keys.includes(' ') ? keys.split(' ') : [keys]),
  })

  /** A cache of `#lookUp`, by key. Keys without words are not cached. */
  readonly #lookedUp = new Map<string, readonly number[]>()

  private constructor({ postingsAt }: SearchFile) {
    this.#postingsAt = postingsAt
  }

  /** Builds the dictionary. It works in slices of some 2 ms and awaits `pause` between them. */
  static async load(file: SearchFile, pause: () => Promise<void>): Promise<Vocabulary> {
    const vocabulary = new Vocabulary(file)
    const { wordText, wordTextAt } = file
    let sliceEnd = performance.now() + sliceMs
    // Words are added in ascending order, so that the lists of words ascend.
    for (let number = 0; number < wordTextAt.length - 1; number++) {
      const word = String.fromCharCode(...wordText.subarray(wordTextAt[number]!, wordTextAt[number + 1]!))
      vocabulary.#words.push(word)
      vocabulary.#byKey.add(number, keysOf(word).join(' '))
      if (number % wordsBetweenLooks !== 0 || performance.now() < sliceEnd) continue
      await pause()
      sliceEnd = performance.now() + sliceMs
    }
    return vocabulary
  }

  /** Parses a query and looks up its words. */
  ask(text: string): Query {
    const words = fold(text)
    const typed = asTyped(text)
    const isOptional = text.includes('&') || text.includes('＆')
    const query = this.#query(typed, words, isOptional)
    const joins = joinedWords(text)
    if (joins.length === 0) return query
    const joined = joins.reduceRight((all, { word, first, count }) => all.toSpliced(first, count, word), words)
    const other = this.#query(typed, joined, isOptional)
    return other.distinct[0]!.postings === 0 ? query : { ...query, joined: other }
  }

  /**
   * @param isOptional true if the query has the sign `&`, which is read as the word `and`. Then a name need not have
   * that word
   */
  #query(typed: string, texts: readonly string[], isOptional: boolean): Query {
    const words: QueryWord[] = []
    const distinct: QueryWord[] = []
    for (const text of texts) {
      let asked = words.find((other) => other.text === text)
      if (asked === undefined) {
        asked = this.askWord(text)
        if (!isOptional || text !== 'and') insertByPostings(distinct, asked)
      } else {
        asked.times++
      }
      words.push(asked)
    }
    if (distinct.length === 0 && words.length > 0) distinct.push(words[0]!)
    return { typed, words, distinct, joined: null }
  }

  /** Looks up a folded word, and returns the words that it finds. */
  askWord(word: string): QueryWord {
    return new QueryWord(word, isJapanese(word) ? this.#findInside(word) : this.#findPrefix(word))
  }

  #findPrefix(prefix: string): Found {
    const found = this.#lookUp(prefix.slice(0, keyLength))
    const from = found[0] ?? 0
    const to = from + found.length
    const isKey = prefix.length <= keyLength
    const first = isKey ? from : this.#firstWith(prefix, from, to)
    const end = isKey ? to : this.#endOf(prefix, first, to)
    const postings = this.#postingsAt[end]! - this.#postingsAt[first]!
    return { first, end, inside: null, whole: this.#wholeOf(prefix, first, end), postings }
  }

  #findInside(part: string): Found {
    const inside = this.#holding(part)
    const to = (inside.at(-1) ?? -1) + 1
    const first = this.#firstWith(part, inside[0] ?? 0, to)
    const end = this.#endOf(part, first, to)
    let postings = 0
    for (const word of inside) postings += this.#postingsAt[word + 1]! - this.#postingsAt[word]!
    return { first, end, inside, whole: this.#wholeOf(part, first, end), postings }
  }

  /** The words that contain the part, ascending. The list may belong to the dictionary, so it must not be changed. */
  #holding(part: string): readonly number[] {
    let rarest = this.#lookUp(part.slice(0, keyLength))
    if (part.length <= keyLength) return rarest
    for (let i = 1; i <= part.length - keyLength && rarest.length > 0; i++) {
      const words = this.#lookUp(part.slice(i, i + keyLength))
      if (words.length < rarest.length) rarest = words
    }
    return rarest.filter((word) => this.#words[word]!.includes(part))
  }

  #lookUp(key: string): readonly number[] {
    let words = this.#lookedUp.get(key)
    if (words === undefined) {
      words = this.#byKey.search(key, allHits) as number[]
      if (words.length > 0) this.#lookedUp.set(key, words)
    }
    return words
  }

  /** The first word from `low` on that equals the prefix or comes after it; `high` if no word before `high` does. */
  #firstWith(prefix: string, low: number, high: number): number {
    const words = this.#words
    let first = low
    for (let end = high; first < end; ) {
      const middle = (first + end) >>> 1
      if (words[middle]! >= prefix) end = middle
      else first = middle + 1
    }
    return first
  }

  /** The end of the range of words that begin with the prefix. `first` is the first of them, if there are any. */
  #endOf(prefix: string, first: number, high: number): number {
    let end = first
    while (end < high && this.#words[end]!.startsWith(prefix)) end++
    return end
  }

  /** The word that equals the prefix, -1 if there is none. It would be the first word of the range. */
  #wholeOf(prefix: string, first: number, end: number): number {
    return first < end && this.#words[first] === prefix ? first : -1
  }
}

/** The longest keys of a word. FlexSearch adds their beginnings. */
function keysOf(word: string): string[] {
  if (!isJapanese(word)) return [word.slice(0, keyLength)]
  return Array.from({ length: word.length }, (_, i) => word.slice(i, i + keyLength))
}

/** Inserts the word into a list by ascending postings, after words with equally many postings. */
function insertByPostings(words: QueryWord[], word: QueryWord): void {
  let place = words.length
  for (; place > 0 && words[place - 1]!.postings > word.postings; place--) words[place] = words[place - 1]!
  words[place] = word
}
