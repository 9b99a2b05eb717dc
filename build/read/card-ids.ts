/**
 * The ids of all cards by number. An id is looked up by its bytes, without a string.
 *
 *   bytes   pokemon-base1-004pokemon-base1-005…
 *   at      0                17               34   where each starts, and where the last one ends
 *   slots   mark and number + 1 │ 0 │ …           as in `ids.msgpack` (src/indexes/ids-file.ts), but with card numbers
 */
import { offsets } from '../../src/indexes/format.ts'
import { addSlot, idHash, placeMaskOf, slotCountOf } from '../../src/indexes/ids-file.ts'

const none = -1

export class CardIds {
  readonly count: number
  readonly bytes: Uint8Array
  readonly #at: Uint32Array
  readonly #slots: Uint32Array
  /** At number + 1: the card that was found after it last time. At 0: the first one. */
  readonly #followers: Int32Array
  #previous = none
  /** Over the bytes that were hashed last. */
  #view: DataView = new DataView(new ArrayBuffer(0))

  /** @param ids by number, each once */
  constructor(ids: readonly string[]) {
    this.count = ids.length
    this.bytes = Buffer.from(ids.join(''))
    this.#at = offsets(ids.map((id) => Buffer.byteLength(id)))
    this.#slots = new Uint32Array(slotCountOf(ids.length))
    this.#followers = new Int32Array(ids.length + 1).fill(none)
    for (const [number, hash] of this.hashes().entries()) addSlot(this.#slots, hash, number)
  }

  /**
   * The number of the id from `start` to `end`, -1 if no card has it. History files list their cards in much the same order each day: so
   * the card that followed last time is compared first, in a third of the time.
   */
  find(bytes: Uint8Array, start: number, end: number): number {
    const expected = this.#followers[this.#previous + 1]!
    const isExpected = expected !== none && this.#is(expected, bytes, start, end)
    const number = isExpected ? expected : this.#lookUp(bytes, start, end)
    if (number === none) return none
    this.#followers[this.#previous + 1] = number
    this.#previous = number
    return number
  }

  #lookUp(bytes: Uint8Array, start: number, end: number): number {
    const slots = this.#slots
    const hash = this.#hashOf(bytes, start, end)
    const mask = slots.length - 1
    const placeMask = placeMaskOf(slots)
    for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      if (((slots[slot]! ^ hash) & ~placeMask) !== 0) continue
      const number = ((slots[slot]! & placeMask) >>> 0) - 1
      if (this.#is(number, bytes, start, end)) return number
    }
    return none
  }

  has(id: string): boolean {
    const bytes = Buffer.from(id)
    return this.find(bytes, 0, bytes.length) !== none
  }

  /** The number here of a card that has another number there; -1 if it is none. */
  numberOf(there: CardIds, number: number): number {
    return this.find(there.bytes, there.#at[number]!, there.#at[number + 1]!)
  }

  haveAll(others: CardIds): boolean {
    for (let number = 0; number < others.count; number++) if (this.numberOf(others, number) === none) return false
    return true
  }

  /** By number, of `idHash`. */
  hashes(): Uint32Array {
    const at = this.#at
    return Uint32Array.from({ length: this.count }, (_, number) =>
      this.#hashOf(this.bytes, at[number]!, at[number + 1]!),
    )
  }

  #is(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    let at = this.#at[number]!
    if (this.#at[number + 1]! - at !== end - start) return false
    for (let i = start; i < end; i++, at++) if (this.bytes[at] !== bytes[i]) return false
    return true
  }

  #hashOf(bytes: Uint8Array, start: number, end: number): number {
    const view = this.#view
    if (view.buffer !== bytes.buffer || view.byteOffset !== bytes.byteOffset || view.byteLength !== bytes.byteLength) {
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    }
    return idHash(this.#view, start, end - start)
  }
}
