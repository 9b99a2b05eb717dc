/** Which words of the vocabulary are a word's misspellings: found by comparing all that could be, once for all queries. */

import { typosMaxOf } from '../../src/search/query.ts'
import { countTypos, lettersAllow } from '../../src/search/typos.ts'
import { offsets } from './columns.ts'

/** What is known of words, as `SearchFile` has it. */
interface Words {
  readonly wordTextAt: Uint32Array
  readonly wordText: Uint16Array
  readonly wordLetters: Uint32Array
  readonly lengthAt: Uint32Array
  readonly wordsByLength: Uint32Array
  readonly lettersByLength: Uint32Array
}

/** @param words in the order of their numbers */
export function nearColumns(words: readonly string[], columns: Words) {
  const near = words.map((word, number) => nearWords(word, number, columns, words))
  return { nearAt: offsets(near.map((list) => list.length)), near: Uint32Array.from(near.flat()) }
}

function nearWords(word: string, number: number, columns: Words, words: readonly string[]): number[] {
  const { wordTextAt, wordText, wordLetters, lengthAt, wordsByLength, lettersByLength } = columns
  const typosMax = typosMaxOf(word)
  const near: number[] = []
  if (typosMax === 0) return near
  const longest = lengthAt.length - 2
  const letters = wordLetters[number]!
  const to = lengthAt[Math.min(word.length + typosMax, longest) + 1]!
  for (let i = lengthAt[word.length - typosMax]!; i < to; i++) {
    if (!lettersAllow(letters, lettersByLength[i]!, typosMax)) continue
    const other = wordsByLength[i]!
    const typos = countTypos(word, 0, wordText, wordTextAt[other]!, wordTextAt[other + 1]!, typosMax)
    if (typos <= typosMax && !words[other]!.startsWith(word)) near.push(other)
  }
  return near.sort((a, b) => a - b)
}
