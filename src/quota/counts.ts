/**
 * Counting in a process that has the quota to itself: the cell of the account's day is the count, and one
 * compareExchange both checks and counts, so the quota is exact however many threads count at once.
 */

import { dayOfMs } from '../calendar.ts'
import type { Store } from '../store/store.ts'
import { Carrier } from './carry.ts'
import { addTo, countIn, type SharedAccounts, slotOf, tagIn, tagOf } from './cells.ts'

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
  readonly #carrier: Carrier
  readonly #counted: Int32Array

  constructor(shared: SharedAccounts, store: Store) {
    this.#carrier = new Carrier(shared, store)
    this.#counted = new Int32Array(shared.counted)
  }

  /** Counts one request; what is left after it, or `refusal.exhausted`. */
  take(access: Counted, now: number): number {
    const day = dayOfMs(now)
    const slot = slotOf(access.account, day)
    const tag = tagOf(day)
    for (;;) {
      // Not through Atomics, which would be a call: a value overtaken meanwhile fails in the compareExchange.
      const cell = this.#counted[slot]!
      if (tagIn(cell) !== tag) {
        this.#carrier.takeOver(access.account, slot, day)
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
    return Math.max(access.limit - this.countOf(access.account, dayOfMs(now)), 0)
  }

  countOf(account: number, day: number): number {
    const slot = slotOf(account, day)
    for (;;) {
      const cell = Atomics.load(this.#counted, slot)
      if (tagIn(cell) === tagOf(day)) return countIn(cell)
      this.#carrier.takeOver(account, slot, day)
    }
  }

  /** Counts one, whatever the quota; returns the count with it. */
  add(account: number, day: number): number {
    const slot = slotOf(account, day)
    for (;;) {
      const cell = Atomics.load(this.#counted, slot)
      if (tagIn(cell) !== tagOf(day)) this.#carrier.takeOver(account, slot, day)
      else if (Atomics.compareExchange(this.#counted, slot, cell, cell + 1) === cell) return countIn(cell) + 1
    }
  }

  giveBack(access: Counted): void {
    addTo(this.#counted, slotOf(access.account, access.countedDay), tagOf(access.countedDay), -1)
  }
}
