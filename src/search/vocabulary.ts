/**
 * The words of all names, each once, found by their beginnings or, in Japanese, by any part of them.
 *
 *   dra → 4031 … 4077   a run, first and end are enough       プコ → 19012, 19470, 20333   a list
 */
import type { SearchFile } from '../indexes/search-file.ts'
import { Beginnings, type Run } from './beginnings.ts'
import { asTyped, fold, isJapanese } from './fold.ts'
import { JapaneseWords } from './japanese.ts'
import { type Found, type Query, QueryWord } from './query.ts'

export class Vocabulary {
  readonly #file: SearchFile
  readonly #beginnings: Beginnings
  readonly #japanese: JapaneseWords

  private constructor(file: SearchFile, japanese: JapaneseWords) {
    this.#file = file
    this.#beginnings = new Beginnings(file)
    this.#japanese = japanese
  }

  /** Works in slices of at most 5 ms, with `pause` between them. */
  static async load(file: SearchFile, pause: () => Promise<void>): Promise<Vocabulary> {
    return new Vocabulary(file, await JapaneseWords.load(file, pause))
  }

  ask(text: string): Query {
    const words: QueryWord[] = []
    const distinct: QueryWord[] = []
    for (const word of fold(text)) {
      let asked = distinct.find((other) => other.text === word)
      if (asked === undefined) {
        asked = new QueryWord(word, isJapanese(word) ? this.#findInside(word) : this.#findBeginning(word))
        insertByPostings(distinct, asked)
      } else {
        asked.times++
      }
      words.push(asked)
    }
    return { typed: asTyped(text), words, distinct }
  }

  /** The number of a folded word, -1 if no name holds it. */
  numberOf(word: string): number {
    return this.#beginnings.wordNumber(word)
  }

  /** A word by itself, to be looked at for typos. */
  askWord(word: string): QueryWord {
    return new QueryWord(word, isJapanese(word) ? this.#findInside(word) : this.#findBeginning(word))
  }

  #findBeginning(beginning: string): Found {
    const { postingsAt } = this.#file
    const run = this.#beginnings.find(beginning)
    const { first, end } = run
    return {
      first,
      end,
      inside: null,
      whole: this.#wholeOf(beginning, run),
      postings: postingsAt[end]! - postingsAt[first]!,
    }
  }

  #findInside(part: string): Found {
    const { postingsAt } = this.#file
    const inside = this.#japanese.holding(part)
    let postings = 0
    for (const number of inside) postings += postingsAt[number + 1]! - postingsAt[number]!
    const run = this.#beginnings.find(part)
    return { first: run.first, end: run.end, inside, whole: this.#wholeOf(part, run), postings }
  }

  /** Of the words with that beginning, the one that is no longer: it comes first. -1 if there is none. */
  #wholeOf(beginning: string, { first, end }: Run): number {
    const { wordTextAt } = this.#file
    return first < end && wordTextAt[first + 1]! - wordTextAt[first]! === beginning.length ? first : -1
  }
}

/** Behind those that have no more. */
function insertByPostings(words: QueryWord[], word: QueryWord): void {
  let place = words.length
  for (; place > 0 && words[place - 1]!.postings > word.postings; place--) words[place] = words[place - 1]!
  words[place] = word
}
