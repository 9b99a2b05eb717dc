/**
 * Counts typos. A typo is a UTF-16 unit that is missing, added, changed, or swapped with the next unit. No unit is part
 * of two typos.
 */

export class TypoCounter {
  readonly #text: Uint16Array
  #asked = ''
  #end = 0

  /** @param text the units of all words */
  constructor(text: Uint16Array) {
    this.#text = text
  }

  /**
   * Returns how many typos turn `asked` into the text from `start` up to `end`. If there are more than `max`, the
   * result is any number above `max`.
   */
  count(asked: string, start: number, end: number, max: number): number {
    this.#asked = asked
    this.#end = end
    return this.#countFrom(0, start, max)
  }

  /**
   * Skips the prefix that both texts have in common, because a typo there never helps. Then it tries the four typos at
   * the first difference:
   *
   *   asked  …equal│x y…      v became x · x was added · v is missing · v and w were swapped
   *   text   …equal│v w…
   *
   * There are at most 4^max branches, and each compares up to its first difference. For `max` ≤ 2 that is faster than a
   * table of distances.
   */
  #countFrom(i: number, j: number, max: number): number {
    const asked = this.#asked
    const text = this.#text
    const end = this.#end
    while (i < asked.length && j < end && asked.charCodeAt(i) === text[j]) {
      i++
      j++
    }
    const askedLeft = asked.length - i
    const textLeft = end - j
    if (askedLeft === 0 || textLeft === 0) return askedLeft + textLeft
    if (max === 0 || Math.abs(askedLeft - textLeft) > max) return max + 1
    let least = this.#countFrom(i + 1, j + 1, max - 1)
    if (least === 0) return 1
    least = Math.min(least, this.#countFrom(i + 1, j, max - 1))
    least = Math.min(least, this.#countFrom(i, j + 1, max - 1))
    if (askedLeft > 1 && textLeft > 1 && asked.charCodeAt(i) === text[j + 1] && asked.charCodeAt(i + 1) === text[j]) {
      least = Math.min(least, this.#countFrom(i + 2, j + 2, max - 1))
    }
    return 1 + least
  }
}

/**
 * False if two texts with these letters (`SearchFile.wordLetters`) certainly differ by more than `max` typos. A typo
 * removes at most one letter and adds at most one. So the function clears the lowest bit of each difference `max`
 * times. It does not test each bit: that would be slower, and it is called for most words of the vocabulary.
 * @param max 1 or 2
 */
export function lettersAllow(letters: number, others: number, max: number): boolean {
  let taken = letters & ~others
  let added = others & ~letters
  taken &= taken - 1
  added &= added - 1
  if (max === 2) {
    taken &= taken - 1
    added &= added - 1
  }
  return (taken | added) === 0
}
