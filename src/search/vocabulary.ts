/**
 * The words of all names, each once, found by their beginnings or, in Japanese, by any part of them. FlexSearch holds
 * them under their numbers; they are added in ascending order, so a hit list is ascending, and the words with a common
 * beginning are one run of numbers.
 *
 *   dra → 4031 … 4077   a run, first and end are enough       プコ → 19012, 19470, 20333   a list
 */
import { Index } from 'flexsearch'
import { lettersOf, type SearchFile } from '../indexes/search-file.ts'
import { asTyped, countLatinLetters, fold, isJapanese } from './fold.ts'
import { countBits, countTypos } from './typos.ts'

/** A distinct word of a query and what it finds. */
export interface QueryWord {
  readonly units: Uint16Array
  readonly letters: number
  /** How many typos it may have. */
  readonly typosMax: number
  /** The words it begins: from `first` up to `end`; none if it is Japanese. */
  readonly first: number
  readonly end: number
  /** The words it lies in, ascending, if it is Japanese. Not ours: never changed. */
  readonly inside: readonly number[] | null
  /** The word it is, -1 if it is none. */
  readonly whole: number
  /** Postings of all words it finds. */
  readonly postings: number
  /** How often it is asked. */
  readonly times: number
}

export interface Query {
  /** As typed, for comparing whole names. */
  readonly typed: string
  /** In their order, a repeated word being the same object. */
  readonly words: readonly QueryWord[]
  /** Each once, the one with the fewest postings first: it rules out most names. */
  readonly distinct: readonly QueryWord[]
}

/** The cost of a word that a query word does not match, larger than every count of typos. */
export const noMatch = 255

const latinLettersForTypo = 4
const latinLettersForTwoTypos = 8
const sliceMs = 4
const wordsBetweenLooks = 64

/** Each result is the index's own list of all hits: no copy, no limit. */
const allHits = { limit: Number.MAX_SAFE_INTEGER }

const newIndex = (tokenize: 'forward' | 'full') =>
  new Index({ tokenize, resolution: 1, cache: false, fastupdate: false, encode: (word: string) => [word] })

export class Vocabulary {
  readonly #file: SearchFile
  readonly #beginnings = newIndex('forward')
  readonly #parts = newIndex('full')

  private constructor(file: SearchFile) {
    this.#file = file
  }

  /** Works in slices of at most 5 ms, with `pause` between them. */
  static async load(file: SearchFile, pause: () => Promise<void>): Promise<Vocabulary> {
    const vocabulary = new Vocabulary(file)
    const { wordText, wordTextAt } = file
    const text = Buffer.from(wordText.buffer, wordText.byteOffset, wordText.byteLength)
    const count = wordTextAt.length - 1
    let sliceEnd = performance.now() + sliceMs
    for (let number = 0; number < count; number++) {
      const word = text.toString('utf16le', 2 * wordTextAt[number]!, 2 * wordTextAt[number + 1]!)
      const index = isJapanese(word) ? vocabulary.#parts : vocabulary.#beginnings
      index.add(number, word)
      if (number % wordsBetweenLooks === 0 && performance.now() > sliceEnd) {
        await pause()
        sliceEnd = performance.now() + sliceMs
      }
    }
    return vocabulary
  }

  ask(text: string): Query {
    const words = fold(text)
    const asked = new Map<string, QueryWord>()
    for (const word of words) {
      if (asked.has(word)) continue
      const times = words.reduce((sum, other) => sum + Number(other === word), 0)
      asked.set(word, isJapanese(word) ? this.#askInside(word, times) : this.#askBeginning(word, times))
    }
    return {
      typed: asTyped(text),
      words: words.map((word) => asked.get(word)!),
      distinct: [...asked.values()].sort((a, b) => a.postings - b.postings),
    }
  }

  #askBeginning(word: string, times: number): QueryWord {
    const { postingsAt } = this.#file
    const found = this.#beginnings.search(word, allHits) as number[]
    const first = found[0] ?? 0
    const end = found.length === 0 ? 0 : found[found.length - 1]! + 1
    const latinLetters = countLatinLetters(word)
    return {
      ...spelling(word),
      typosMax: Number(latinLetters >= latinLettersForTypo) + Number(latinLetters >= latinLettersForTwoTypos),
      first,
      end,
      inside: null,
      whole: end > first && this.#length(first) === word.length ? first : -1,
      postings: postingsAt[end]! - postingsAt[first]!,
      times,
    }
  }

  #askInside(word: string, times: number): QueryWord {
    const { postingsAt } = this.#file
    const inside = this.#parts.search(word, allHits) as number[]
    let whole = -1
    let postings = 0
    for (const number of inside) {
      if (this.#length(number) === word.length) whole = number
      postings += postingsAt[number + 1]! - postingsAt[number]!
    }
    return { ...spelling(word), typosMax: 0, first: 0, end: 0, inside, whole, postings, times }
  }

  #length(number: number): number {
    return this.#file.wordTextAt[number + 1]! - this.#file.wordTextAt[number]!
  }

  /** How many typos the word has where the query word is asked: 0 where it finds the word, else `noMatch`. */
  typos(asked: QueryWord, number: number): number {
    if (finds(asked, number)) return 0
    const { typosMax, units } = asked
    if (typosMax === 0) return noMatch
    const { wordText, wordTextAt, wordLetters } = this.#file
    const start = wordTextAt[number]!
    const end = wordTextAt[number + 1]!
    if (Math.abs(end - start - units.length) > typosMax) return noMatch
    if (countBits(asked.letters ^ wordLetters[number]!) > 2 * typosMax) return noMatch
    const typos = countTypos(units, 0, wordText, start, end, typosMax)
    return typos > typosMax ? noMatch : typos
  }

  /** The words within the query word's typos that it does not find without, as numbers. */
  withTypos(asked: QueryWord): number[] {
    const { lengthAt, wordsByLength, wordLetters } = this.#file
    const { typosMax, units, letters } = asked
    const found: number[] = []
    if (typosMax === 0) return found
    const longest = lengthAt.length - 2
    const from = lengthAt[Math.min(units.length - typosMax, longest + 1)]!
    const to = lengthAt[Math.min(units.length + typosMax, longest) + 1]!
    for (let i = from; i < to; i++) {
      const number = wordsByLength[i]!
      if (countBits(letters ^ wordLetters[number]!) > 2 * typosMax) continue
      const typos = this.typos(asked, number)
      if (typos !== 0 && typos !== noMatch) found.push(number)
    }
    return found
  }

  /** True if the first word is the beginning of the other. */
  begins(number: number, other: number): boolean {
    const { wordText, wordTextAt } = this.#file
    const start = wordTextAt[number]!
    const length = wordTextAt[number + 1]! - start
    const otherStart = wordTextAt[other]!
    if (wordTextAt[other + 1]! - otherStart < length) return false
    for (let i = 0; i < length; i++) if (wordText[start + i] !== wordText[otherStart + i]) return false
    return true
  }
}

/** True if the query word is the beginning of the word or, in Japanese, lies in it. */
export function finds(asked: QueryWord, number: number): boolean {
  const { inside } = asked
  if (inside === null) return number >= asked.first && number < asked.end
  let low = 0
  let high = inside.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (inside[middle]! < number) low = middle + 1
    else high = middle
  }
  return inside[low] === number
}

function spelling(word: string): Pick<QueryWord, 'units' | 'letters'> {
  const units = Uint16Array.from({ length: word.length }, (_, i) => word.charCodeAt(i))
  return { units, letters: lettersOf(units, 0, units.length) }
}
