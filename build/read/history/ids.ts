/**
 * Which card a row of a history file belongs to. The ids lie one after the other as bytes:
 *
 *   numbers 0 … cards - 1   the catalog's cards
 *   numbers cards …         ids that the catalog doesn't know, in the order they were met
 *
 * Files list their cards in much the same order day after day, so the id that followed last time is tried first: its
 * bytes are compared where they lie. Only another id is looked up.
 */
import type { CardIds } from '../card-ids.ts'

const none = -1

export class HistoryIds {
  readonly cards: number
  readonly #known: CardIds
  /** The numbers of ids that the catalog doesn't know. */
  readonly #unknown = new Map<string, number>()
  #bytes: Uint8Array
  #at: Uint32Array
  /** By number, one up: which id followed this one. At 0: which came first. */
  #followers: Int32Array
  #previous = none

  constructor(known: CardIds) {
    const { bytes, at } = known.memory
    this.#known = known
    this.cards = known.count
    this.#bytes = grown(new Uint8Array(bytes), bytes.length + 64)
    this.#at = grown(new Uint32Array(at), at.length + 64)
    this.#followers = new Int32Array(this.#at.length).fill(none)
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
    let at = this.#at[number]!
    const end = this.#at[number + 1]!
    for (let i = start; at < end; i++, at++) if (ids[at] !== bytes[i]) return none
    return number
  }

  /** How many bytes the id has. */
  size(number: number): number {
    return this.#at[number + 1]! - this.#at[number]!
  }

  /** To be called with the id of each row: the next one is expected to be what followed it last time. */
  took(number: number): void {
    this.#followers[this.#previous + 1] = number
    this.#previous = number
  }

  /** The number of the id that lies there, a new one if it is met for the first time. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const number = this.#known.find(bytes, start, end)
    if (number !== none) return number
    const id = Buffer.from(bytes.subarray(start, end)).toString('utf8')
    return this.#unknown.get(id) ?? this.#add(id, bytes.subarray(start, end))
  }

  /** The ids that the catalog doesn't know, with their numbers. */
  unknown(): Iterable<[id: string, number: number]> {
    return this.#unknown
  }

  #add(id: string, text: Uint8Array): number {
    const number = this.cards + this.#unknown.size
    this.#unknown.set(id, number)
    const start = this.#at[number]!
    if (start + text.length > this.#bytes.length) this.#bytes = grown(this.#bytes, start + text.length)
    if (number + 2 > this.#at.length) this.#at = grown(this.#at, number + 2)
    if (number + 2 > this.#followers.length) {
      const { length } = this.#followers
      this.#followers = grown(this.#followers, number + 2).fill(none, length)
    }
    this.#bytes.set(text, start)
    this.#at[number + 1] = start + text.length
    return number
  }
}

/** A copy with room for at least `length`, and some to spare. */
function grown<T extends Uint8Array | Uint32Array | Int32Array>(array: T, length: number): T {
  const larger = new (array.constructor as new (length: number) => T)(Math.ceil(length * 1.5))
  larger.set(array)
  return larger
}
