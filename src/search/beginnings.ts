/**
 * The words with a common beginning. Words are sorted by their UTF-16 units, so these are one run of numbers, found by
 * halving. The runs of the first two letters are remembered as they are asked for, which spares half of the steps.
 *
 *   dragoni → remembered  dr  4017 … 4102 → halved by the letters after dr → 4060 … 4066
 */
import type { SearchFile } from '../indexes/search-file.ts'
import { headLength, headNumber, headNumbers } from './prefix-counts.ts'

/** Words from `first` up to `end`. */
export interface Run {
  readonly first: number
  readonly end: number
}

export class Beginnings {
  readonly #text: Uint16Array
  readonly #textAt: Uint32Array
  /** `first` and `end` of the runs that were asked for, by `headNumber`; `end` is 0 until then. */
  readonly #heads = new Uint32Array(2 * headNumbers)

  constructor({ wordText, wordTextAt }: SearchFile) {
    this.#text = wordText
    this.#textAt = wordTextAt
  }

  /** The words that have the beginning, which is not empty; the one that is no longer comes first. */
  find(beginning: string): Run {
    const number = headNumber(beginning)
    if (number === -1) return this.#halve(beginning, 0, 0, this.#textAt.length - 1)
    const heads = this.#heads
    if (heads[2 * number + 1] === 0) {
      const head = this.#halve(beginning.slice(0, headLength), 0, 0, this.#textAt.length - 1)
      heads[2 * number] = head.first
      heads[2 * number + 1] = head.end
    }
    const first = heads[2 * number]!
    const end = heads[2 * number + 1]!
    return beginning.length <= headLength ? { first, end } : this.#halve(beginning, headLength, first, end)
  }

  /** The number of the word, -1 if it is none. */
  wordNumber(word: string): number {
    const head = headNumber(word)
    let first = 0
    let end = this.#textAt.length - 1
    if (head !== -1) {
      const run = this.find(word.slice(0, headLength))
      first = run.first
      end = run.end
    }
    const number = this.#firstAbove(-1, word, head === -1 ? 0 : Math.min(headLength, word.length), first, end)
    const isWord = number < end && this.#textAt[number + 1]! - this.#textAt[number]! === word.length
    return isWord && this.#compare(number, word, 0) === 0 ? number : -1
  }

  /** The run among words that all have the beginning's first `known` letters. */
  #halve(beginning: string, known: number, from: number, to: number): Run {
    const first = this.#firstAbove(-1, beginning, known, from, to)
    let end = first
    let step = 1
    // Mostly it is short, so its end is looked for from its first word on, in steps that double.
    while (end + step <= to && this.#compare(end + step - 1, beginning, known) === 0) {
      end += step
      step *= 2
    }
    return { first, end: this.#firstAbove(0, beginning, known, end, Math.min(end + step - 1, to)) }
  }

  /** The first word that compares to the beginning as more than `order`. */
  #firstAbove(order: number, beginning: string, known: number, first: number, end: number): number {
    while (first < end) {
      const middle = (first + end) >>> 1
      if (this.#compare(middle, beginning, known) <= order) first = middle + 1
      else end = middle
    }
    return first
  }

  /** -1 if the word is before the beginning, 0 if it has it, 1 if it is after. */
  #compare(number: number, beginning: string, known: number): number {
    const text = this.#text
    const start = this.#textAt[number]!
    const length = Math.min(beginning.length, this.#textAt[number + 1]! - start)
    for (let i = known; i < length; i++) {
      const difference = text[start + i]! - beginning.charCodeAt(i)
      if (difference !== 0) return difference < 0 ? -1 : 1
    }
    return length < beginning.length ? -1 : 0
  }
}
