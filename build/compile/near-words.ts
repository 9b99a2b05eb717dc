/**
 * Each word's near words: the words of the vocabulary that could be a misspelling of it, or it of them. The distance of two words
 * is symmetric, so each pair is compared once, though each word may allow another number of typos.
 */
import { typosMaxOf } from '../../src/search/words/query.ts'
import { countTypos, lettersAllow } from '../../src/search/words/typos.ts'
import { offsets } from './columns.ts'

/** Columns of `SearchFile`. */
interface Words {
  readonly wordTextAt: Uint32Array
  readonly wordText: Uint16Array
  readonly lengthAt: Uint32Array
  readonly wordsByLength: Uint32Array
  readonly lettersByLength: Uint32Array
}

/** @param words in the order of their numbers */
export function nearColumns(words: readonly string[], columns: Words) {
  const near = nearWords(words, columns)
  for (const list of near) list.sort((a, b) => a - b)
  return { nearAt: offsets(near.map((list) => list.length)), near: Uint32Array.from(near.flat()) }
}

function nearWords(words: readonly string[], columns: Words): number[][] {
  const { wordTextAt, wordText, lengthAt, wordsByLength, lettersByLength } = columns
  const near = words.map((): number[] => [])
  const typosMax = Uint8Array.from(wordsByLength, (number) => typosMaxOf(words[number]!))
  const typosMaxOfAll = typosMax.reduce((most, max) => Math.max(most, max), 0)
  const longest = lengthAt.length - 2
  for (let i = 0; i < wordsByLength.length; i++) {
    const number = wordsByLength[i]!
    const word = words[number]!
    const letters = lettersByLength[i]!
    // From here on words are at least as long; shorter ones have been compared.
    const to = lengthAt[Math.min(word.length + typosMaxOfAll, longest) + 1]!
    for (let j = i + 1; j < to; j++) {
      const max = Math.max(typosMax[i]!, typosMax[j]!)
      if (max === 0 || !lettersAllow(letters, lettersByLength[j]!, max)) continue
      const other = wordsByLength[j]!
      const typos = countTypos(word, 0, wordText, wordTextAt[other]!, wordTextAt[other + 1]!, max)
      // The other word is at least as long, so it is no prefix of this one.
      if (typos <= typosMax[i]! && !words[other]!.startsWith(word)) near[number]!.push(other)
      if (typos <= typosMax[j]!) near[other]!.push(number)
    }
  }
  return near
}
