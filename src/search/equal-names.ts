/**
 * Finds names that equal a text when folded. Brackets at the end of either may be missing in the other:
 *
 *   Fry (Red)          Fry (Red)   whole: with brackets
 *   Fry                Fry (Red)   equal
 *   Fry (Red)          Fry         equal
 *   Fry (Blue)         Fry (Red)   not equal: different brackets
 *
 * Like a search, it compares the names that have the rarest word. `findMisspelt` allows a typo in one word.
 */
import type { SearchFile } from '../indexes/search-file.ts'
import { fold, foldSigns, wordsInBrackets } from './words/fold.ts'
import { typosMaxOf } from './words/query.ts'
import type { Spelling } from './words/spelling.ts'
import { countTypos } from './words/typos.ts'
import type { Vocabulary } from './words/vocabulary.ts'

/** No name has such a word. */
const unknown = -1

export class EqualNames {
  readonly #file: SearchFile
  readonly #vocabulary: Vocabulary
  readonly #spelling: Spelling
  readonly #signs: ReadonlyMap<string, readonly number[]>
  /** The text's words, their numbers, and how many precede its brackets. */
  #words: readonly string[] = []
  readonly #numbers: number[] = []
  #bare = 0
  /** The result of the last call. */
  readonly names: number[] = []
  /** By index in `names`: true if the name equals the text with its brackets. */
  readonly areWhole: boolean[] = []

  /** @param signs names without words, by `foldSigns` */
  constructor(
    file: SearchFile,
    vocabulary: Vocabulary,
    spelling: Spelling,
    signs: ReadonlyMap<string, readonly number[]>,
  ) {
    this.#file = file
    this.#vocabulary = vocabulary
    this.#spelling = spelling
    this.#signs = signs
  }

  /** True if the last text has brackets at its end. */
  get hasBrackets(): boolean {
    return this.#bare < this.#words.length
  }

  /** Finds the names of the game (-1: of all) that equal the text: `names`. */
  find(text: string, game: number): void {
    this.#start(text)
    if (this.#words.length === 0) {
      for (const name of this.#signs.get(foldSigns(text)) ?? []) this.#add(name, game, true)
      return
    }
    const rarest = this.#rarest(-1)
    if (rarest === unknown || this.#numbers.lastIndexOf(unknown, this.#bare - 1) !== -1) return
    this.#compareHolders(this.#numbers[rarest]!, game, 0)
  }

  /** The same for the text of the last call, with a typo in one of its words. */
  findMisspelt(game: number): void {
    const numbers = this.#numbers
    const bare = this.#bare
    this.names.length = 0
    this.areWhole.length = 0
    const wrong = numbers.indexOf(unknown)
    if (wrong !== -1 && wrong < bare && numbers.lastIndexOf(unknown, bare - 1) !== wrong) return
    if (bare === 1) {
      if (typosMaxOf(this.#words[0]!) > 0) for (const word of this.#near()) this.#compareHolders(word, game, 1)
      return
    }
    // At most one word has a typo, so a matching name has one of any two words.
    const first = this.#rarest(-1)
    const second = this.#rarest(first)
    if (first !== unknown) this.#compareHolders(numbers[first]!, game, 1)
    if (second !== unknown && (wrong === -1 || wrong >= bare)) this.#compareHolders(numbers[second]!, game, 1)
  }

  #start(text: string): void {
    this.#words = fold(text)
    this.#bare = this.#words.length - wordsInBrackets(text, this.#words)
    this.#numbers.length = 0
    this.names.length = 0
    this.areWhole.length = 0
    for (const word of this.#words) this.#numbers.push(this.#vocabulary.numberOf(word))
  }

  /** Where the rarest word before the brackets is; -1 if there is none. @param but a place to skip */
  #rarest(but: number): number {
    const { postingsAt } = this.#file
    let rarest = -1
    let fewest = Number.POSITIVE_INFINITY
    for (let place = 0; place < this.#bare; place++) {
      const number = this.#numbers[place]!
      if (number === unknown || place === but) continue
      const postings = postingsAt[number + 1]! - postingsAt[number]!
      if (postings >= fewest) continue
      rarest = place
      fewest = postings
    }
    return rarest
  }

  /** The words that differ from the text's only word by a typo. */
  #near(): Iterable<number> {
    const { wordTextAt } = this.#file
    const [text] = this.#words as [string]
    const word = this.#vocabulary.askWord(text)
    const asked = this.#spelling.misspelling(word)
    const near = new Set(this.#spelling.wordsWithTypos(asked))
    this.#spelling.forget(asked)
    for (let number = word.first; number < word.end; number++) {
      if (wordTextAt[number + 1]! - wordTextAt[number]! === text.length + 1) near.add(number)
    }
    return near
  }

  #compareHolders(word: number, game: number, typos: number): void {
    const { postings, postingsAt } = this.#file
    const end = postingsAt[word + 1]!
    for (let i = postingsAt[word]!; i < end; i++) {
      const name = postings[i]! >>> 1
      const length = this.#comparedWords(name, typos)
      if (length === 0) continue
      const nameLength = this.#file.nameWordsAt[name + 1]! - this.#file.nameWordsAt[name]!
      this.#add(name, game, length === this.#words.length && length === nameLength)
    }
  }

  #add(name: number, game: number, isWhole: boolean): void {
    if ((game !== -1 && this.#file.nameGame[name] !== game) || this.names.includes(name)) return
    this.names.push(name)
    this.areWhole.push(isWhole)
  }

  /** How many words the name and the text have in common, if they are equal; else 0. */
  #comparedWords(name: number, typosMax: number): number {
    const { nameWordsAt, nameWords, nameBrackets } = this.#file
    const start = nameWordsAt[name]!
    const nameLength = nameWordsAt[name + 1]! - start
    const length = Math.min(nameLength, this.#words.length)
    // Additional words of either must be in its brackets.
    if (length < this.#bare || length < nameLength - nameBrackets[name]!) return 0
    let typos = 0
    for (let i = 0; i < length; i++) {
      const word = nameWords[start + i]!
      if (word === this.#numbers[i]) continue
      if (typos === typosMax || i >= this.#bare || !this.#isMisspelt(i, word)) return 0
      typos++
    }
    return length
  }

  #isMisspelt(place: number, word: number): boolean {
    const { wordText, wordTextAt } = this.#file
    const asked = this.#words[place]!
    const [start, end] = [wordTextAt[word]!, wordTextAt[word + 1]!]
    if (Math.abs(end - start - asked.length) > 1 || typosMaxOf(asked) === 0) return false
    return countTypos(asked, 0, wordText, start, end, 1) === 1
  }
}
