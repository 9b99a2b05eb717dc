/**
 * How many cards the names have that hold a word which begins with a letter or two: counted once, when a version is opened, since
 * so short a query finds a tenth of all names.
 *
 *   head   d   dr        game    pokemon  2411   212        each name once, however many of its words begin so
 *                                mtg      3902   518
 */
import { gameSlugs } from '../games.ts'
import type { SearchFile } from '../indexes/search-file.ts'

/** All ASCII letters that folded words have. */
const letters = '0123456789abcdefghijklmnopqrstuvwxyz'
/** By ASCII code: a letter's place in `letters` plus one, 0 for all others. */
const letterNumbers = Uint8Array.from({ length: 128 }, (_, code) => letters.indexOf(String.fromCharCode(code)) + 1)
const digit = letters.length + 1

export const headLength = 2
export const headNumbers = digit ** headLength

/** The first one or two letters as one number, -1 if others are among them. */
export function headNumber(word: string): number {
  const first = letterNumbers[word.charCodeAt(0)]
  if (!first) return -1
  if (word.length === 1) return first
  const second = letterNumbers[word.charCodeAt(1)]
  return second ? first + second * digit : -1
}

const namesBetweenLooks = 1024
const sliceMs = 2

export class PrefixCounts {
  /** By game, then by `headNumber`. */
  readonly #cards = new Uint32Array(gameSlugs.length * headNumbers)

  private constructor() {}

  /** Works in slices of at most 5 ms, with `pause` between them. */
  static async load(file: SearchFile, pause: () => Promise<void>): Promise<PrefixCounts> {
    const heads = new PrefixCounts()
    const cards = heads.#cards
    const { nameGame, nameWordsAt, nameWords, cardsAt } = file
    const { ofOne, ofTwo } = headsOfWords(file)
    /** By head, the last name that was counted, plus one. */
    const counted = new Uint32Array(headNumbers)
    let sliceEnd = performance.now() + sliceMs
    for (let name = 0; name < nameGame.length; name++) {
      const count = cardsAt[name + 1]! - cardsAt[name]!
      const first = nameGame[name]! * headNumbers
      const end = nameWordsAt[name + 1]!
      for (let place = nameWordsAt[name]!; place < end; place++) {
        const word = nameWords[place]!
        const one = ofOne[word]!
        const two = ofTwo[word]!
        if (one !== 0 && counted[one] !== name + 1) {
          counted[one] = name + 1
          cards[first + one]! += count
        }
        if (two !== 0 && counted[two] !== name + 1) {
          counted[two] = name + 1
          cards[first + two]! += count
        }
      }
      if (name % namesBetweenLooks === 0 && performance.now() > sliceEnd) {
        await pause()
        sliceEnd = performance.now() + sliceMs
      }
    }
    return heads
  }

  /**
   * How many cards the names of the game (-1: of all) have that hold a word with that beginning; -1 if it is not known, since it
   * is longer, or of other letters.
   */
  cards(beginning: string, game: number): number {
    const head = beginning.length > headLength ? -1 : headNumber(beginning)
    if (head === -1) return -1
    if (game !== -1) return this.#cards[game * headNumbers + head]!
    let cards = 0
    for (let at = head; at < this.#cards.length; at += headNumbers) cards += this.#cards[at]!
    return cards
  }
}

/** By word, the numbers of its first letter and of its first two; 0 where there are none. */
function headsOfWords({ wordText, wordTextAt }: SearchFile): { ofOne: Uint16Array; ofTwo: Uint16Array } {
  const words = wordTextAt.length - 1
  const ofOne = new Uint16Array(words)
  const ofTwo = new Uint16Array(words)
  for (let word = 0; word < words; word++) {
    const start = wordTextAt[word]!
    const one = letterNumbers[wordText[start]!] ?? 0
    const two = wordTextAt[word + 1]! - start > 1 ? (letterNumbers[wordText[start + 1]!] ?? 0) : 0
    ofOne[word] = one
    ofTwo[word] = one === 0 || two === 0 ? 0 : one + two * digit
  }
  return { ofOne, ofTwo }
}
