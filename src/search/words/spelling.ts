/** Finds words of the vocabulary that differ from a query word by typos. */
import { endOf } from '../../indexes/bounds.ts'
import type { SearchFile } from '../../indexes/search-file.ts'
import type { QueryWord } from './query.ts'
import { lettersAllow, TypoCounter } from './typos.ts'

/** The result for too many typos. It is larger than every number of typos. */
export const tooFar = 254

/** A query word that may have typos. */
export interface Misspelling {
  readonly word: QueryWord
  readonly typosMax: number
  /** The letters of the query word as bits, as in `SearchFile.wordLetters`. */
  readonly letters: number
  /** By word of the vocabulary: its typos plus one, or 0 until they are counted. */
  readonly counted: Uint8Array
  /** The words whose entry in `counted` is not 0. */
  readonly known: number[]
}

export class Spelling {
  readonly #file: SearchFile
  readonly #counter: TypoCounter
  /** Arrays to use again as `counted`. All their entries are 0. */
  readonly #spare: Uint8Array[] = []

  constructor(file: SearchFile) {
    this.#file = file
    this.#counter = new TypoCounter(file.wordText)
  }

  /** Prepares a query word for typos. The caller must pass the result to `forget` afterwards. */
  misspelling(word: QueryWord): Misspelling {
    let letters = 0
    for (let i = 0; i < word.text.length; i++) letters |= 1 << (word.text.charCodeAt(i) & 31)
    const counted = this.#spare.pop() ?? new Uint8Array(this.#file.wordLetters.length)
    return { word, typosMax: word.typosMax, letters, counted, known: [] }
  }

  forget({ counted, known }: Misspelling): void {
    for (const number of known) counted[number] = 0
    this.#spare.push(counted)
  }

  /**
   * The typos between the query word and the vocabulary's word: 0 if the query word finds it as typed, 1 to `typosMax`,
   * or `tooFar`.
   */
  typos(asked: Misspelling, number: number): number {
    const counted = asked.counted[number]!
    if (counted !== 0) return counted - 1
    const typos = this.#count(asked, number)
    asked.counted[number] = typos + 1
    asked.known.push(number)
    return typos
  }

  #count({ word, typosMax, letters }: Misspelling, number: number): number {
    if (word.finds(number)) return 0
    const { wordTextAt, wordLetters } = this.#file
    if (typosMax === 0 || !lettersAllow(letters, wordLetters[number]!, typosMax)) return tooFar
    const start = wordTextAt[number]!
    const end = wordTextAt[number + 1]!
    const typos = this.#counter.count(word.text, start, end, typosMax)
    return typos > typosMax ? tooFar : typos
  }

  /**
   * The texts of the words that differ from the query word by exactly one typo. There are none if it may not have
   * typos.
   */
  wordsWithOneTypo(word: QueryWord): string[] {
    const { wordText, wordTextAt } = this.#file
    const { text, first, end, typosMax } = word
    if (typosMax === 0) return []
    const asked = this.misspelling(word)
    const near = this.wordsWithTypos(asked)
    this.forget(asked)
    // `wordsWithTypos` leaves out words that begin with the query word. Such a word has one typo if it is one UTF-16
    // unit longer.
    for (let number = first; number < end; number++) {
      if (wordTextAt[number + 1]! - wordTextAt[number]! === text.length + 1) near.push(number)
    }
    const texts: string[] = []
    for (const number of near) {
      const [from, to] = [wordTextAt[number]!, wordTextAt[number + 1]!]
      if (this.#counter.count(text, from, to, 1) === 1) texts.push(String.fromCharCode(...wordText.subarray(from, to)))
    }
    return texts
  }

  /** The words that match the query word only with typos, the shortest first. */
  wordsWithTypos(asked: Misspelling): number[] {
    const { lengthAt, wordsByLength, lettersByLength } = this.#file
    const { typosMax, letters } = asked
    const found: number[] = []
    if (typosMax === 0) return found
    const { length } = asked.word.text
    const longest = lengthAt.length - 2
    const from = lengthAt[Math.min(length - typosMax, longest + 1)]!
    const to = endOf(lengthAt, Math.min(length + typosMax, longest), lettersByLength.length)
    for (let i = from; i < to; i++) {
      if (!lettersAllow(letters, lettersByLength[i]!, typosMax)) continue
      const number = wordsByLength[i]!
      const typos = this.typos(asked, number)
      if (typos !== 0 && typos !== tooFar) found.push(number)
    }
    return found
  }

  /** True if the first word is a prefix of the other. */
  begins(number: number, other: number): boolean {
    const { wordText, wordTextAt } = this.#file
    const start = wordTextAt[number]!
    const length = endOf(wordTextAt, number, wordText.length) - start
    const otherStart = wordTextAt[other]!
    if (wordTextAt[other + 1]! - otherStart < length) return false
    for (let i = 0; i < length; i++) if (wordText[start + i] !== wordText[otherStart + i]) return false
    return true
  }
}
