/** An account's requests of a day as they are at this moment, read without counting: what the store holds may be a flush behind. */
import type { Store } from '../store/store.ts'
import { countIn, type SharedCounts, slotOf, tagIn, tagOf } from './counters.ts'

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

  /** With a quota that servers share: those that this store's own servers answered. */
  on(day: number, account: number): number {
    const slot = slotOf(account, day)
    const tag = tagOf(day)
    for (;;) {
      const counted = Atomics.load(this.#counted, slot)
      if (tagIn(counted) !== tag) return this.#store.usedOn(day, account)
      if (!this.#leased) return countIn(counted)
      const stored = Atomics.load(this.#stored, slot)
      const kept = this.#store.usedOn(day, account)
      // What a flush moves from the one to the other would count twice, and a day that begins has two steps.
      const isStill = Atomics.load(this.#stored, slot) === stored && tagIn(stored) === tag
      if (isStill) return kept + countIn(counted) - countIn(stored)
    }
  }
}
