/** Requests per account and day, as they are at this moment. */
import type { Store } from '../store/store.ts'
import { addTo, countIn, countOn, pack, type SharedCounts, slotOf, tagIn, tagOf } from './counters.ts'

/** Reads an account's requests without counting one. The store alone may be a flush behind. */
export class LiveUsage {
  readonly #store: Store
  readonly #leased: boolean
  readonly #counted: Int32Array
  readonly #stored: Int32Array

  constructor(shared: SharedCounts, store: Store) {
    this.#store = store
    this.#leased = shared.leased
    this.#counted = new Int32Array(shared.counted)
    this.#stored = new Int32Array(shared.stored)
  }

  /** Requests that servers on this STORE_DIR answered. */
  on(day: number, account: number): number {
    const slot = slotOf(account, day)
    const tag = tagOf(day)
    for (;;) {
      const counted = Atomics.load(this.#counted, slot)
      if (tagIn(counted) !== tag) return this.#store.usedOn(day, account)
      if (!this.#leased) return countIn(counted)
      const stored = Atomics.load(this.#stored, slot)
      const used = this.#store.usedOn(day, account)
      // If a flush runs between the reads, both numbers may include its requests. While a day begins, only `counted`
      // has that day. In both cases everything is read again.
      const isConsistent = Atomics.load(this.#stored, slot) === stored && tagIn(stored) === tag
      if (isConsistent) return used + countIn(counted) - countIn(stored)
    }
  }
}

/**
 * Counts the requests of a day that this server has refused since its start, because the quota was used up. The
 * account's people see this number.
 */
export class RefusedCounts {
  /** One counter for each account, with the tag of the counter's day. */
  readonly #refused: Int32Array

  constructor({ refused }: SharedCounts) {
    this.#refused = new Int32Array(refused)
  }

  add(account: number, day: number): void {
    const tag = tagOf(day)
    while (!addTo(this.#refused, account, tag, 1)) {
      const cell = Atomics.load(this.#refused, account)
      if (tagIn(cell) !== tag) Atomics.compareExchange(this.#refused, account, cell, pack(tag, 0))
    }
  }

  /** Returns the account's refused requests of that day, at most `countMax`. */
  on(day: number, account: number): number {
    return countOn(day, this.#refused, account)
  }
}
