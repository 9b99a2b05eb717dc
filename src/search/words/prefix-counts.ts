/**
 * Counts the cards whose names have a word with a prefix of one or two letters. Counted once, when a version is opened,
 * because so short a query finds a tenth of all names.
 *
 *   game       prefix d    dr
 *   pokemon        2411   212        a name counts once, even if several of its words have the prefix
 *   mtg            3902   518
 */
import { gameSlugs } from '../../games.ts'
import { type SearchFile, wordMask } from '../../indexes/search-file.ts'

/** All ASCII letters that folded words have. */
const letters = '0123456789abcdefghijklmnopqrstuvwxyz'
/** By ASCII code: a letter's index in `letters` plus one, 0 for all others. */
const letterNumbers = Uint8Array.from({ length: 128 }, (_, code) => letters.indexOf(String.fromCharCode(code)) + 1)
const digit = letters.length + 1

export const prefixLength = 2
export const prefixNumbers = digit ** prefixLength

/** The first one or two letters as one number, -1 if one is not in `letters`. */
export function prefixNumber(word: string): number {
  const first = letterNumbers[word.charCodeAt(0)]
  if (!first) return -1
  if (word.length === 1) return first
  const second = letterNumbers[word.charCodeAt(1)]
  return second ? first + second * digit : -1
}

const namesBetweenLooks = 1024
const sliceMs = 2

export class PrefixCounts {
  /** By game, then by `prefixNumber`. */
  readonly #cards = new Uint32Array(gameSlugs.length * prefixNumbers)

  private constructor() {}

  /** Works in slices of at most 5 ms, with `pause` between them. */
  static async load(file: SearchFile, pause: () => Promise<void>): Promise<PrefixCounts> {
    const counts = new PrefixCounts()
    const cards = counts.#cards
    const { nameGame, nameWordsAt, nameWords, cardsAt } = file
    const { ofOne, ofTwo } = prefixesOfWords(file)
    /** By prefix, the last name that was counted, plus one. */
    const counted = new Uint32Array(prefixNumbers)
    let sliceEnd = performance.now() + sliceMs
    for (let name = 0; name < nameGame.length; name++) {
      const count = cardsAt[name + 1]! - cardsAt[name]!
      const first = nameGame[name]! * prefixNumbers
      const end = nameWordsAt[name + 1]!
      for (let place = nameWordsAt[name]!; place < end; place++) {
        const word = nameWords[place]! & wordMask
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
    return counts
  }

  /**
   * How many cards of the game (-1: all) have a name with a word of that prefix; -1 if it is not counted: a longer prefix, or
   * other letters.
   */
  cards(beginning: string, game: number): number {
    const prefix = beginning.length > prefixLength ? -1 : prefixNumber(beginning)
    if (prefix === -1) return -1
    if (game !== -1) return this.#cards[game * prefixNumbers + prefix]!
    let cards = 0
    for (let at = prefix; at < this.#cards.length; at += prefixNumbers) cards += this.#cards[at]!
    return cards
  }
}

/** By word, the numbers of its first letter and of its first two; 0 if there is none. */
function prefixesOfWords({ wordText, wordTextAt }: SearchFile): { ofOne: Uint16Array; ofTwo: Uint16Array } {
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
