/**
 * Finds the card of a history row. Ids get new numbers, in the order in which they first appear:
 *
 *   numbers 0 … cards - 1   the catalog's cards
 *   numbers cards …         ids that are not in the catalog
 *
 * Files list their cards in much the same order each day. So the id that followed last time is compared first, and only another
 * one is looked up. As the numbers follow that order, too, arrays by these numbers are read sequentially, which the processor
 * prefetches. By card numbers, each row would miss the cache.
 */
import type { CardIds } from '../card-ids.ts'

const none = -1

export class HistoryIds {
  readonly cards: number
  /** By card number: its number here, -1 before its first row. In shared memory. */
  readonly numbers: Int32Array
  readonly #known: CardIds
  #found = 0
  readonly #unknown = new Map<string, number>()
  #bytes: Uint8Array
  #length = 0
  /** By number: the span of its id. */
  #from: Uint32Array
  #to: Uint32Array
  /** At number + 1: the id that followed last time. At 0: the first id. */
  #followers: Int32Array
  #previous = none

  constructor(known: CardIds) {
    this.#known = known
    this.cards = known.count
    this.numbers = new Int32Array(new SharedArrayBuffer(4 * known.count)).fill(none)
    this.#bytes = new Uint8Array(known.memory.bytes.length + 64)
    this.#from = new Uint32Array(known.count + 64)
    this.#to = new Uint32Array(known.count + 64)
    this.#followers = new Int32Array(known.count + 65).fill(none)
  }

  /** Call it before a file's first row. */
  startFile(): void {
    this.#previous = none
  }

  /** The number of the expected next id if its text is at `start`, else -1. Check what follows it. */
  expected(bytes: Uint8Array, start: number): number {
    const number = this.#followers[this.#previous + 1]!
    if (number === none) return none
    const ids = this.#bytes
    let at = this.#from[number]!
    const end = this.#to[number]!
    for (let i = start; at < end; i++, at++) if (ids[at] !== bytes[i]) return none
    return number
  }

  size(number: number): number {
    return this.#to[number]! - this.#from[number]!
  }

  /** Call it with each row's id. */
  accept(number: number): void {
    this.#followers[this.#previous + 1] = number
    this.#previous = number
  }

  /** The number of the id from `start` to `end`, a new one for a new id. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const card = this.#known.find(bytes, start, end)
    if (card !== none) {
      if (this.numbers[card] === none) this.numbers[card] = this.#add(this.#found++, bytes, start, end)
      return this.numbers[card]!
    }
    const id = Buffer.from(bytes.subarray(start, end)).toString('utf8')
    const number = this.#unknown.get(id) ?? this.#add(this.cards + this.#unknown.size, bytes, start, end)
    this.#unknown.set(id, number)
    return number
  }

  /** The ids that are not in the catalog. */
  unknown(): Iterable<string> {
    return this.#unknown.keys()
  }

  #add(number: number, bytes: Uint8Array, start: number, end: number): number {
    const to = this.#length + end - start
    if (to > this.#bytes.length) this.#bytes = grown(this.#bytes, to)
    if (number === this.#from.length) {
      this.#from = grown(this.#from, number + 1)
      this.#to = grown(this.#to, number + 1)
      const { length } = this.#followers
      this.#followers = grown(this.#followers, this.#from.length + 1).fill(none, length)
    }
    this.#bytes.set(bytes.subarray(start, end), this.#length)
    this.#from[number] = this.#length
    this.#to[number] = to
    this.#length = to
    return number
  }
}

/** A copy of at least `length`, and half as much again. */
function grown<T extends Uint8Array | Uint32Array | Int32Array>(array: T, length: number): T {
  const larger = new (array.constructor as new (length: number) => T)(Math.ceil(length * 1.5))
  larger.set(array)
  return larger
}
