/**
 * Counting in a process that has the quota to itself: the cell of the account's day is the count, and one
 * compareExchange both checks and counts, so the quota is exact however many threads count at once.
 */
import { dayOf } from './days.ts'
import { addTo, countIn, pack, raise, type SharedAccounts, signal, slotOf, tagIn, tagOf } from './shared.ts'
import type { Store } from './store.ts'

/** What a count needs to know of an account. */
export interface Counted {
  readonly account: number
  /** Requests a day. */
  readonly limit: number
  /** The day of the last request counted through this very object. */
  countedDay: number
}

/** What `take` gives instead of what is left. */
export const refusal = {
  /** The quota is used up. */
  exhausted: -1,
  /** The shared quota store can't be asked, and nothing is leased. */
  unavailable: -2,
  /** The shared quota store is being asked: the answer comes a moment later. */
  unsettled: -3,
} as const

export class Counts {
  readonly #store: Store
  readonly #leased: boolean
  readonly #signals: Int32Array
  readonly #counted: Int32Array
  readonly #stored: Int32Array

  constructor(shared: SharedAccounts, store: Store) {
    this.#store = store
    this.#leased = shared.leased
    this.#signals = new Int32Array(shared.signals)
    this.#counted = new Int32Array(shared.counted)
    this.#stored = new Int32Array(shared.stored)
  }

  /** Counts one request; what is left after it, or `refusal.exhausted`. */
  take(access: Counted, now: number): number {
    const day = dayOf(now)
    const slot = slotOf(access.account, day)
    const tag = tagOf(day)
    for (;;) {
      // Not through Atomics, which would be a call: a value overtaken meanwhile fails in the compareExchange.
      const cell = this.#counted[slot]!
      if (tagIn(cell) !== tag) {
        this.#load(access.account, day)
        continue
      }
      const left = access.limit - countIn(cell)
      if (left <= 0) return refusal.exhausted
      if (Atomics.compareExchange(this.#counted, slot, cell, cell + 1) === cell) {
        access.countedDay = day
        return left - 1
      }
    }
  }

  remaining(access: Counted, now: number): number {
    return Math.max(access.limit - this.countOf(access.account, dayOf(now)), 0)
  }

  countOf(account: number, day: number): number {
    const slot = slotOf(account, day)
    for (;;) {
      const cell = Atomics.load(this.#counted, slot)
      if (tagIn(cell) === tagOf(day)) return countIn(cell)
      this.#load(account, day)
    }
  }

  /** Counts one, whatever the quota; returns the count with it. */
  add(account: number, day: number): number {
    const slot = slotOf(account, day)
    for (;;) {
      const cell = Atomics.load(this.#counted, slot)
      if (tagIn(cell) !== tagOf(day)) this.#load(account, day)
      else if (Atomics.compareExchange(this.#counted, slot, cell, cell + 1) === cell) return countIn(cell) + 1
    }
  }

  giveBack(access: Counted): void {
    addTo(this.#counted, slotOf(access.account, access.countedDay), tagOf(access.countedDay), -1)
  }

  /**
   * Gives the account's cell its day, with what the store holds of it. `stored` goes first and decides for all threads
   * at once: whoever sets it to the day, the count starts from that value alone.
   */
  #load(account: number, day: number): void {
    const slot = slotOf(account, day)
    const tag = tagOf(day)
    raise(this.#signals, signal.latestDay, day)
    const counted = Atomics.load(this.#counted, slot)
    const stored = Atomics.load(this.#stored, slot)
    if (tagIn(stored) !== tag) {
      const count = this.#leased ? 0 : (this.#store.usage.get([day, account]) ?? 0)
      Atomics.compareExchange(this.#stored, slot, stored, pack(tag, count))
    }
    const start = Atomics.load(this.#stored, slot)
    if (tagIn(counted) !== tag && tagIn(start) === tag) Atomics.compareExchange(this.#counted, slot, counted, start)
  }
}
