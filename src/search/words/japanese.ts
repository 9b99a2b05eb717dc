/**
 * Finds Japanese words by any part of them. FlexSearch indexes letters and pairs of letters, which keeps the index small: a
 * longer part is searched in the words that contain its rarest pair.
 *
 *   プコ → 19012, 19470, 20333        カプコケ → of カプ, プコ and コケ the one with the fewest words → 19012
 */
import { Index } from 'flexsearch'
import type { SearchFile } from '../../indexes/search-file.ts'
import { isJapanese } from '../../names/fold.ts'

const sliceMs = 2
const wordsBetweenLooks = 16
const pairLength = 2
const lastAscii = 0x7f

/** With this limit, FlexSearch returns its own list of all hits without a copy. */
const allHits = { limit: Number.MAX_SAFE_INTEGER }

export class JapaneseWords {
  readonly #text: Uint16Array
  readonly #textAt: Uint32Array
  /** Words are added in ascending order, so the lists ascend. */
  readonly #byPart = new Index({ tokenize: 'full', resolution: 1, cache: false, fastupdate: false, encode: pairs })

  private constructor({ wordText, wordTextAt }: SearchFile) {
    this.#text = wordText
    this.#textAt = wordTextAt
  }

  /** Works in slices of at most 5 ms, with `pause` between them. */
  static async load(file: SearchFile, pause: () => Promise<void>): Promise<JapaneseWords> {
    const words = new JapaneseWords(file)
    const { wordText, wordTextAt } = file
    const { buffer, byteOffset, byteLength } = wordText
    const text = Buffer.from(buffer, byteOffset, byteLength)
    const count = wordTextAt.length - 1
    let sliceEnd = performance.now() + sliceMs
    for (let number = 0; number < count; number++) {
      if (wordText[wordTextAt[number]!]! <= lastAscii) continue
      const word = text.toString('utf16le', 2 * wordTextAt[number]!, 2 * wordTextAt[number + 1]!)
      if (isJapanese(word)) words.#byPart.add(number, word)
      if (number % wordsBetweenLooks === 0 && performance.now() > sliceEnd) {
        await pause()
        sliceEnd = performance.now() + sliceMs
      }
    }
    return words
  }

  /** The words that contain the part, ascending. May be the index's own list, which must not change. */
  holding(part: string): readonly number[] {
    let rarest = this.#lookUp(part.slice(0, pairLength))
    if (part.length <= pairLength) return rarest
    for (let i = 1; i <= part.length - pairLength && rarest.length > 0; i++) {
      const words = this.#lookUp(part.slice(i, i + pairLength))
      if (words.length < rarest.length) rarest = words
    }
    const holding: number[] = []
    for (const number of rarest) if (this.#holds(number, part)) holding.push(number)
    return holding
  }

  #lookUp(pair: string): readonly number[] {
    return this.#byPart.search(pair, allHits) as number[]
  }

  #holds(number: number, part: string): boolean {
    const text = this.#text
    const last = this.#textAt[number + 1]! - part.length
    for (let start = this.#textAt[number]!; start <= last; start++) {
      let same = 0
      while (same < part.length && text[start + same] === part.charCodeAt(same)) same++
      if (same === part.length) return true
    }
    return false
  }
}

/** All pairs of adjacent letters; a shorter word is its own pair. FlexSearch derives the single letters. */
function pairs(word: string): string[] {
  if (word.length <= pairLength) return [word]
  const found: string[] = []
  for (let end = pairLength; end <= word.length; end++) found.push(word.slice(end - pairLength, end))
  return found
}
