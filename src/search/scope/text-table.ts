/**
 * Finds the index of a text in a column of ascending texts, by a hash table. A binary search would read some sixteen
 * texts all over the column, and wait for the memory of each. The table reads one or two.
 *
 *   slots   0  17  0  4  9  0 …    0: empty, n: the text with the index n − 1
 *
 * The hash of a text is the first slot to try. A text is in the first slot from there on that was empty when it was
 * added. At least half of the slots stay empty, so each search ends.
 */
import { endOf } from '../../indexes/bounds.ts'
import { compareText } from './number-index.ts'

export class TextTable {
  readonly #text: Uint16Array
  readonly #textAt: Uint32Array
  readonly #slots: Uint32Array
  readonly #mask: number

  constructor(text: Uint16Array, textAt: Uint32Array) {
    this.#text = text
    this.#textAt = textAt
    const count = textAt.length - 1
    const size = 2 ** Math.ceil(Math.log2(2 * count + 1))
    this.#slots = new Uint32Array(size)
    this.#mask = size - 1
    for (let index = 0; index < count; index++) {
      let hash = hashStart
      const start = textAt[index]!
      const end = Math.min(endOf(textAt, index, text.length), start + unitsHashed)
      for (let at = start; at < end; at++) hash = hashed(hash, text[at]!)
      let slot = hash & this.#mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask
      this.#slots[slot] = index + 1
    }
  }

  /** The text's index, -1 if the column does not have the text. */
  find(wanted: string): number {
    let hash = hashStart
    for (let at = 0; at < Math.min(wanted.length, unitsHashed); at++) hash = hashed(hash, wanted.charCodeAt(at))
    for (let slot = hash & this.#mask; this.#slots[slot] !== 0; slot = (slot + 1) & this.#mask) {
      const index = this.#slots[slot]! - 1
      if (compareText(this.#text, this.#textAt[index]!, this.#textAt[index + 1]!, wanted) === 0) return index
    }
    return -1
  }
}

/** At most this many units of a text are hashed, because with wrong offsets each text could be the whole column. */
const unitsHashed = 64

/** FNV-1a over 16-bit units; its high bits are mixed into the low ones by each step's multiplication. */
const hashStart = 0x811c9dc5
const hashed = (hash: number, unit: number): number => {
  const mixed = Math.imul(hash ^ unit, 0x01000193)
  return mixed ^ (mixed >>> 15)
}
