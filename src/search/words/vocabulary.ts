/**
 * The words of all names, each once, found by prefix or, in Japanese, by any part.
 *
 *   dra → 4031 … 4077   a range       プコ → 19012, 19470, 20333   a list
 */
import type { SearchFile } from '../../indexes/search-file.ts'
import { asTyped, fold, isJapanese, joinedWords } from '../../names/fold.ts'
import { JapaneseWords } from './japanese.ts'
import { type Found, type Query, QueryWord } from './query.ts'
import { WordPrefixes, type WordRange } from './word-prefixes.ts'

export class Vocabulary {
  readonly #file: SearchFile
  readonly #prefixes: WordPrefixes
  readonly #japanese: JapaneseWords

  private constructor(file: SearchFile, japanese: JapaneseWords) {
    this.#file = file
    this.#prefixes = new WordPrefixes(file)
    this.#japanese = japanese
  }

  /** Works in slices of at most 5 ms, with `pause` between them. */
  static async load(file: SearchFile, pause: () => Promise<void>): Promise<Vocabulary> {
    return new Vocabulary(file, await JapaneseWords.load(file, pause))
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
    const { postingsAt } = this.#file
    const range = this.#prefixes.find(prefix)
    const { first, end } = range
    return {
      first,
      end,
      inside: null,
      whole: this.#wholeOf(prefix, range),
      postings: postingsAt[end]! - postingsAt[first]!,
    }
  }

  #findInside(part: string): Found {
    const { postingsAt } = this.#file
    const inside = this.#japanese.holding(part)
    let postings = 0
    for (const number of inside) postings += postingsAt[number + 1]! - postingsAt[number]!
    const range = this.#prefixes.find(part)
    return { first: range.first, end: range.end, inside, whole: this.#wholeOf(part, range), postings }
  }

  /** The word that equals the prefix, which comes first in its range; -1 if there is none. */
  #wholeOf(prefix: string, { first, end }: WordRange): number {
    const { wordTextAt } = this.#file
    return first < end && wordTextAt[first + 1]! - wordTextAt[first]! === prefix.length ? first : -1
  }
}

/** Inserts after the words with as many postings or fewer. */
function insertByPostings(words: QueryWord[], word: QueryWord): void {
  let place = words.length
  for (; place > 0 && words[place - 1]!.postings > word.postings; place--) words[place] = words[place - 1]!
  words[place] = word
}
