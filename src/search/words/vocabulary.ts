/**
 * The words of all names, each once, found by prefix or, in Japanese, by any part. FlexSearch is their dictionary: it has the
 * words with each key, ascending. A longer text is looked for in the words of its rarest key.
 *
 *   keys of dragon     d, dr                  dragoni → dr  4017 … 4102 → 4060 … 4066   a range: words are sorted
 *   keys of カプコケ   カ, カプ, プ, プコ, …  プコケ → of プコ and コケ the one with the fewest words → 19012, 20333
 */
import { Index } from 'flexsearch'
import type { SearchFile } from '../../indexes/search-file.ts'
import { asTyped, fold, isJapanese, joinedWords } from '../../names/fold.ts'
import { type Found, type Query, QueryWord } from './query.ts'

const keyLength = 2

const sliceMs = 2
const wordsBetweenLooks = 16

/** With this limit, FlexSearch returns its own list of all hits without a copy. */
const allHits = Number.MAX_SAFE_INTEGER

export class Vocabulary {
  readonly #postingsAt: Uint32Array
  /** By number. */
  readonly #words: readonly string[]
  readonly #byKey = new Index({
    // Beginnings of keys are keys, too.
    tokenize: 'forward',
    resolution: 1,
    cache: false,
    fastupdate: false,
    encode: (keys) => (keys.includes(' ') ? keys.split(' ') : [keys]),
  })

  /** The lists of keys that were looked up before. */
  readonly #lookedUp = new Map<string, readonly number[]>()

  private constructor({ postingsAt, wordText, wordTextAt }: SearchFile) {
    this.#postingsAt = postingsAt
    this.#words = Array.from(wordTextAt.subarray(1), (end, number) =>
      String.fromCharCode(...wordText.subarray(wordTextAt[number]!, end)),
    )
  }

  /** Works in slices of at most 5 ms, with `pause` between them. */
  static async load(file: SearchFile, pause: () => Promise<void>): Promise<Vocabulary> {
    const vocabulary = new Vocabulary(file)
    let sliceEnd = performance.now() + sliceMs
    // In ascending order, so that the lists ascend.
    for (const [number, word] of vocabulary.#words.entries()) {
      vocabulary.#byKey.add(number, keysOf(word).join(' '))
      if (number % wordsBetweenLooks !== 0 || performance.now() < sliceEnd) continue
      await pause()
      sliceEnd = performance.now() + sliceMs
    }
    return vocabulary
  }

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

  /** @param isOptional the word `and` stands for a sign of the query, which a name need not have */
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

  /** A folded word, with the words that it finds. */
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

  /** The words that contain the part, ascending. May be the index's own list, which must not change. */
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

  /** The first word from `low` up to `high` that does not come before the prefix. */
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

  /** The end of the words with the prefix, of which `first` is the first, if there are any. */
  #endOf(prefix: string, first: number, high: number): number {
    let end = first
    while (end < high && this.#words[end]!.startsWith(prefix)) end++
    return end
  }

  /** The word that equals the prefix, which comes first in its range; -1 if there is none. */
  #wholeOf(prefix: string, first: number, end: number): number {
    return first < end && this.#words[first] === prefix ? first : -1
  }
}

/** The longest keys of a word. */
function keysOf(word: string): string[] {
  if (!isJapanese(word)) return [word.slice(0, keyLength)]
  return Array.from({ length: word.length }, (_, i) => word.slice(i, i + keyLength))
}

/** Inserts after the words with as many postings or fewer. */
function insertByPostings(words: QueryWord[], word: QueryWord): void {
  let place = words.length
  for (; place > 0 && words[place - 1]!.postings > word.postings; place--) words[place] = words[place - 1]!
  words[place] = word
}
