/**
 * Which card a row of a history file belongs to. The ids lie one after the other as bytes:
 *
 *   numbers 0 … cards - 1   the catalog's cards
 *   numbers cards …         ids that the catalog doesn't know, in the order they were met
 *
 * Files list their cards in much the same order day after day, so the id that followed last time is tried first: its
 * bytes are compared where they lie, and nothing is made of them. Only another id costs a string and a look into a Map.
 */
const none = -1

export class HistoryIds {
  readonly cards: number
  readonly #numbers = new Map<string, number>()
  #bytes: Uint8Array
  #at: Uint32Array
  /** By number, one up: which id followed this one. At 0: which came first. */
  #followers: Int32Array
  #previous = none

  constructor(ids: readonly string[]) {
    this.cards = ids.length
    this.#bytes = new Uint8Array(ids.reduce((sum, id) => sum + id.length, 0) + 64)
    this.#at = new Uint32Array(ids.length + 1025)
    this.#followers = new Int32Array(ids.length + 1025).fill(none)
    for (const id of ids) this.#add(id)
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

  /** The number of the id, a new one if it is met for the first time. */
  find(id: string): number {
    return this.#numbers.get(id) ?? this.#add(id)
  }

  /** The ids that the catalog doesn't know, with their numbers. */
  *unknown(): Iterable<[id: string, number: number]> {
    for (const entry of this.#numbers) if (entry[1] >= this.cards) yield entry
  }

  #add(id: string): number {
    const number = this.#numbers.size
    this.#numbers.set(id, number)
    const text = Buffer.from(id, 'utf8')
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
