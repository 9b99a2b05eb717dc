/** Queries drawn from a catalog's names by a seed. */

import { drawBelow, drawFrom, type Random, shuffled } from '../support/random.ts'
import type { ScanCard } from './scan.ts'

/** A name's words as a caller would see them: runs of letters and digits, apostrophes left out. */
export const wordsOf = (name: string): string[] => name.replace(/['’]/g, '').match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

interface SpeedQueries {
  readonly wholeNames: readonly string[]
  readonly singleWords: readonly string[]
  readonly severalWords: readonly string[]
}

const commonWords = 100
const commonPairs = 500

/** Distinct queries, `count` of each kind; the most common words and pairs of them are among them. */
export function speedQueries(cards: readonly ScanCard[], random: Random, count: number): SpeedQueries {
  const names = [...new Set(cards.map((card) => card.name))]
  const common = mostCommonWords(names)
  const drawnName = () => drawFrom(random, names)
  const drawnWord = () => {
    const word = drawFrom(random, wordsOf(drawnName())) ?? 'ex'
    return drawBelow(random, 2) === 0 ? word : word.slice(0, 2 + drawBelow(random, Math.max(1, word.length - 2)))
  }
  const pairs = Array.from(
    { length: Math.min(commonPairs, count / 2) },
    () => `${drawFrom(random, common)} ${drawFrom(random, common)}`,
  )
  const drawnWords = () => {
    const words = shuffled(random, wordsOf(drawnName())).slice(0, 2 + drawBelow(random, 3))
    return words.map((word) => (drawBelow(random, 2) === 0 ? word : word.slice(0, 2 + drawBelow(random, 6)))).join(' ')
  }
  return {
    wholeNames: distinct([], drawnName, count),
    singleWords: distinct(common, drawnWord, count),
    severalWords: distinct(pairs, drawnWords, count),
  }
}

/** The words that most names hold, the most common first. */
export function mostCommonWords(names: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const name of names) {
    for (const word of new Set(wordsOf(name.toLowerCase()))) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1])
  return sorted.slice(0, commonWords).map(([word]) => word)
}

/** The given queries, filled up with drawn ones; fewer than `count` if a small catalog has no more. */
function distinct(given: readonly string[], draw: () => string, count: number): string[] {
  const found = new Set(given)
  for (let tries = 0; found.size < count && tries < 20 * count; tries++) {
    const query = draw()
    if (query.trim().length > 1) found.add(query)
  }
  return [...found]
}

/** One letter dropped, doubled, swapped with the next or changed, not the name's only difference in case. */
export function mistyped(random: Random, word: string): string {
  const at = drawBelow(random, word.length - 1)
  const letter = word[at]!
  const other = drawFrom(
    random,
    [...'abcdefghijklmnopqrstuvwxyz'].filter((each) => each !== letter.toLowerCase()),
  )
  const rest = word.slice(at + 1)
  const edits = [rest, letter + letter + rest, rest[0]! + letter + rest.slice(1), other + rest]
  return word.slice(0, at) + drawFrom(random, edits)
}
