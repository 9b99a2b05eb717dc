/**
 * Which card a row of a history file belongs to. Ids are numbered anew, as they are met:
 *
 *   numbers 0 … cards - 1   the catalog's cards
 *   numbers cards …         ids that the catalog doesn't know
 *
 * Files list their cards in much the same order day after day, so the id that followed last time is tried first: its bytes are
 * compared where they lie, and only another one is looked up. As numbers follow that order, whatever is kept by them is gone
 * through from one end to the other, which the processor reads ahead: by card numbers, each row would wait for memory.
 */
import type { CardIds } from '../card-ids.ts'

const none = -1

export class HistoryIds {
  readonly cards: number
  /** By card number: its number here, -1 if it was not met. Grows only; in memory that threads share. */
  readonly numbers: Int32Array
  readonly #known: CardIds
  #met = 0
  readonly #unknown = new Map<string, number>()
  #bytes: Uint8Array
  #length = 0
  /** By number: where its text lies. */
  #from: Uint32Array
  #to: Uint32Array
  /** By number, one up: which id followed this one. At 0: which came first. */
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

  /** To be called before a file's first row. */
  startFile(): void {
    this.#previous = none
  }

  /** The number of the id that is expected next, if its text stands at `start`, whatever comes after it; else -1. */
  expected(bytes: Uint8Array, start: number): number {
    const number = this.#followers[this.#previous + 1]!
    if (number === none) return none
    const ids = this.#bytes
    let at = this.#from[number]!
    const end = this.#to[number]!
    for (let i = start; at < end; i++, at++) if (ids[at] !== bytes[i]) return none
    return number
  }

  /** How many bytes the id has. */
  size(number: number): number {
    return this.#to[number]! - this.#from[number]!
  }

  /** To be called with the id of each row: the next one is expected to be what followed it last time. */
  took(number: number): void {
    this.#followers[this.#previous + 1] = number
    this.#previous = number
  }

  /** The number of the id that lies there, a new one if it is met for the first time. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const card = this.#known.find(bytes, start, end)
    if (card !== none) {
      if (this.numbers[card] === none) this.numbers[card] = this.#add(this.#met++, bytes, start, end)
      return this.numbers[card]!
    }
    const id = Buffer.from(bytes.subarray(start, end)).toString('utf8')
    const number = this.#unknown.get(id) ?? this.#add(this.cards + this.#unknown.size, bytes, start, end)
    this.#unknown.set(id, number)
    return number
  }

  /** The ids that the catalog doesn't know, with their numbers. */
  unknown(): Iterable<[id: string, number: number]> {
    return this.#unknown
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

/** A copy with room for at least `length`, and some to spare. */
function grown<T extends Uint8Array | Uint32Array | Int32Array>(array: T, length: number): T {
  const larger = new (array.constructor as new (length: number) => T)(Math.ceil(length * 1.5))
  larger.set(array)
  return larger
}
