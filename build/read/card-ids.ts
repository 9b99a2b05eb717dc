/**
 * The ids of all cards by number, in shared memory. An id is looked up by its bytes, without a string.
 *
 *   bytes   pokemon-base1-004pokemon-base1-005…
 *   at      0                17               34   where each starts, and where the last one ends
 *   slots   mark and number + 1 │ 0 │ …           as in `ids.msgpack` (src/indexes/ids-file.ts), but with card numbers
 */
import { addSlot, idHash, placeMaskOf, slotCountOf } from '../../src/indexes/ids-file.ts'

export interface IdsMemory {
  readonly bytes: Uint8Array
  readonly at: Uint32Array
  readonly slots: Uint32Array
}

/** The bytes of an id, within others. */
export interface IdBytes {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

const none = -1

export class CardIds {
  readonly memory: IdsMemory
  readonly count: number
  /** Over the bytes that were hashed last. */
  #view: DataView = new DataView(new ArrayBuffer(0))

  constructor(memory: IdsMemory) {
    this.memory = memory
    this.count = memory.at.length - 1
  }

  /**
   * @param idOf the id of a number
   * @param onDuplicate gets each number whose id an earlier number has; `find` returns the earlier one
   */
  static of(
    count: number,
    idOf: (number: number) => IdBytes,
    onDuplicate: (ids: CardIds, number: number, earlier: number) => void = () => undefined,
  ): CardIds {
    const at = new Uint32Array(shared(4 * (count + 1)))
    for (let number = 0; number < count; number++) {
      const { start, end } = idOf(number)
      at[number + 1] = at[number]! + end - start
    }
    const bytes = new Uint8Array(shared(at[count]!))
    for (let number = 0; number < count; number++) {
      const id = idOf(number)
      for (let from = id.start, to = at[number]!; from < id.end; ) bytes[to++] = id.bytes[from++]!
    }
    const slots = new Uint32Array(shared(4 * slotCountOf(count)))
    const ids = new CardIds({ bytes, at, slots })
    for (let number = 0; number < count; number++) {
      const earlier = ids.find(bytes, at[number]!, at[number + 1]!)
      if (earlier === none) addSlot(slots, ids.hash(number), number)
      else onDuplicate(ids, number, earlier)
    }
    return ids
  }

  static ofTexts(ids: readonly string[]): CardIds {
    return CardIds.of(ids.length, (number) => {
      const bytes = Buffer.from(ids[number]!)
      return { bytes, start: 0, end: bytes.length }
    })
  }

  /** The number of the id from `start` to `end`, -1 if no card has it. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const { slots } = this.memory
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

  text(number: number): string {
    const { bytes, at } = this.memory
    return Buffer.from(bytes.subarray(at[number], at[number + 1])).toString()
  }

  /** By `idHash`. */
  hash(number: number): number {
    const { bytes, at } = this.memory
    return this.#hashOf(bytes, at[number]!, at[number + 1]!)
  }

  /** By number. */
  hashes(): Uint32Array {
    return Uint32Array.from({ length: this.count }, (_, number) => this.hash(number))
  }

  /** True if the same numbers have the same ids. */
  equals({ memory: { bytes, at } }: CardIds): boolean {
    return areEqual(bytes, this.memory.bytes) && areEqual(at, this.memory.at)
  }

  #is(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const ids = this.memory.bytes
    let at = this.memory.at[number]!
    if (this.memory.at[number + 1]! - at !== end - start) return false
    for (let i = start; i < end; i++, at++) if (ids[at] !== bytes[i]) return false
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

const shared = (bytes: number) => new SharedArrayBuffer(bytes)

const areEqual = (a: Uint8Array | Uint32Array, b: Uint8Array | Uint32Array): boolean =>
  Buffer.compare(
    Buffer.from(a.buffer, a.byteOffset, a.byteLength),
    Buffer.from(b.buffer, b.byteOffset, b.byteLength),
  ) === 0
