/**
 * The words of all names, each once, found by their beginnings or, in Japanese, by any part of them. FlexSearch holds
 * them under their numbers; they are added in ascending order, so a hit list is ascending, and the words with a common
 * beginning are one run of numbers.
 *
 *   dra → 4031 … 4077   a run, first and end are enough       プコ → 19012, 19470, 20333   a list
 *
 * Only short beginnings and parts are indexed, which keeps the index small: a longer beginning is looked for in the run
 * of its first letters, a longer part in the words that hold its rarest pair of letters.
 */
import { Index } from 'flexsearch'
import type { SearchFile } from '../indexes/search-file.ts'
import { asTyped, fold, isJapanese } from './fold.ts'
import { type Found, type Query, QueryWord } from './query.ts'

const sliceMs = 2
const wordsBetweenLooks = 16
const beginningLength = 3
const partLength = 2

/** Each result is the index's own list of all hits: no copy, no limit. */
const allHits = { limit: Number.MAX_SAFE_INTEGER }

const newIndex = (tokenize: 'forward' | 'full', encode: (word: string) => string[]) =>
  new Index({ tokenize, resolution: 1, cache: false, fastupdate: false, encode })

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
/** By ASCII code: a letter's place in `letters` plus one, 0 for all others. */
const letterNumbers = Uint8Array.from({ length: 128 }, (_, code) => letters.indexOf(String.fromCharCode(code)) + 1)
const beginningNumbers = (letters.length + 1) ** beginningLength

/** The first letters as one number, -1 if others are among them. */
function beginningNumber(word: string): number {
  let number = 0
  for (let i = 0; i < beginningLength; i++) {
    const letter = i < word.length ? letterNumbers[word.charCodeAt(i)] : 0
    if (i < word.length && !letter) return -1
    number = number * (letters.length + 1) + letter!
  }
  return number
}

/** Words from `first` up to `end`. */
interface Run {
  readonly first: number
  readonly end: number
}

const noWords: Run = { first: 0, end: 0 }

export class Vocabulary {
  readonly #file: SearchFile
  readonly #text: Buffer
  readonly #byBeginning = newIndex('forward', (word) => [word.slice(0, beginningLength)])
  readonly #byPart = newIndex('full', parts)
  /** `first` and `end` of the runs that were asked for, by `beginningNumber`; `end` is 0 until then. */
  readonly #runs = new Uint32Array(2 * beginningNumbers)

  private constructor(file: SearchFile) {
    this.#file = file
    const { buffer, byteOffset, byteLength } = file.wordText
    this.#text = Buffer.from(buffer, byteOffset, byteLength)
  }

  /** Works in slices of at most 5 ms, with `pause` between them. */
  static async load(file: SearchFile, pause: () => Promise<void>): Promise<Vocabulary> {
    const vocabulary = new Vocabulary(file)
    const count = file.wordTextAt.length - 1
    let sliceEnd = performance.now() + sliceMs
    for (let number = 0; number < count; number++) {
      const word = vocabulary.#word(number)
      const index = isJapanese(word) ? vocabulary.#byPart : vocabulary.#byBeginning
      index.add(number, word)
      if (number % wordsBetweenLooks === 0 && performance.now() > sliceEnd) {
        await pause()
        sliceEnd = performance.now() + sliceMs
      }
    }
    return vocabulary
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

  #findBeginning(beginning: string): Found {
    const { postingsAt } = this.#file
    let { first, end } = this.#run(beginning)
    if (beginning.length > beginningLength) {
      first = this.#firstFrom(beginning, 0, first, end)
      end = this.#endFrom(beginning, first, end)
    }
    const whole = this.#wholeOf(beginning, first, end)
    return { first, end, inside: null, whole, postings: postingsAt[end]! - postingsAt[first]! }
  }

  /** Of the words with that beginning, the one that is no longer: it comes first. -1 if there is none. */
  #wholeOf(beginning: string, first: number, end: number): number {
    return first < end && this.#length(first) === beginning.length ? first : -1
  }

  /** The words with the same first letters, as many as are indexed. */
  #run(beginning: string): Run {
    const runs = this.#runs
    const number = beginningNumber(beginning)
    if (number !== -1 && runs[2 * number + 1] !== 0) return { first: runs[2 * number]!, end: runs[2 * number + 1]! }
    const words = this.#byBeginning.search(beginning.slice(0, beginningLength), allHits) as number[]
    if (words.length === 0) return noWords
    const run = { first: words[0]!, end: words[words.length - 1]! + 1 }
    if (number !== -1) {
      runs[2 * number] = run.first
      runs[2 * number + 1] = run.end
    }
    return run
  }

  /** The first word of a run whose letters, as many as the beginning has, compare to it as `order` or higher. */
  #firstFrom(beginning: string, order: number, first: number, end: number): number {
    while (first < end) {
      const middle = (first + end) >>> 1
      if (this.#compare(middle, beginning) < order) first = middle + 1
      else end = middle
    }
    return first
  }

  /** The end of the words with that beginning, which start at `first`: mostly a few, so it is looked for from there. */
  #endFrom(beginning: string, first: number, end: number): number {
    let known = first
    let step = 1
    while (known + step <= end && this.#compare(known + step - 1, beginning) === 0) {
      known += step
      step *= 2
    }
    return this.#firstFrom(beginning, 1, known, Math.min(known + step - 1, end))
  }

  /** -1 if the word is before the beginning, 0 if it has it, 1 if it is after. */
  #compare(number: number, beginning: string): number {
    const { wordText, wordTextAt } = this.#file
    const start = wordTextAt[number]!
    const length = Math.min(beginning.length, wordTextAt[number + 1]! - start)
    for (let i = 0; i < length; i++) {
      const difference = wordText[start + i]! - beginning.charCodeAt(i)
      if (difference !== 0) return Math.sign(difference)
    }
    return length < beginning.length ? -1 : 0
  }

  #findInside(part: string): Found {
    const { postingsAt, wordTextAt } = this.#file
    const inside = this.#wordsWith(part)
    let postings = 0
    for (const number of inside) postings += postingsAt[number + 1]! - postingsAt[number]!
    const words = wordTextAt.length - 1
    const first = this.#firstFrom(part, 0, 0, words)
    const end = this.#endFrom(part, first, words)
    return { first, end, inside, whole: this.#wholeOf(part, first, end), postings }
  }

  /** The Japanese words that hold the part, ascending. */
  #wordsWith(part: string): readonly number[] {
    if (part.length <= partLength) return this.#byPart.search(part, allHits) as number[]
    const lists = parts(part).map((pair) => this.#byPart.search(pair, allHits) as number[])
    const rarest = lists.reduce((a, b) => (b.length < a.length ? b : a))
    return rarest.filter((number) => this.#word(number).includes(part))
  }

  #word(number: number): string {
    const { wordTextAt } = this.#file
    return this.#text.toString('utf16le', 2 * wordTextAt[number]!, 2 * wordTextAt[number + 1]!)
  }

  #length(number: number): number {
    return this.#file.wordTextAt[number + 1]! - this.#file.wordTextAt[number]!
  }
}

/** Behind those that have no more. */
function insertByPostings(words: QueryWord[], word: QueryWord): void {
  let place = words.length
  for (; place > 0 && words[place - 1]!.postings > word.postings; place--) words[place] = words[place - 1]!
  words[place] = word
}

/** All pairs of letters in a row; a shorter word is its own part. FlexSearch takes the single letters from them. */
function parts(word: string): string[] {
  if (word.length <= partLength) return [word]
  return Array.from({ length: word.length - partLength + 1 }, (_, i) => word.slice(i, i + partLength))
}
