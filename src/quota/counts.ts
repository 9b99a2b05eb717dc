/**
 * Counts requests in a process that shares quotas with no other server. One compareExchange both checks and counts, so
 * the quota is exact however many threads count at once.
 */

import { dayOfMs } from '../calendar.ts'
import type { Store } from '../store/store.ts'
import { addTo, countIn, type SharedCounts, slotOf, tagIn, tagOf } from './counters.ts'
import { CountPersister } from './persist.ts'
import { type Allowance, type Quota, type Resolved, refusal } from './quota.ts'

export class Counts implements Quota {
  readonly #persister: CountPersister
  readonly #counted: Int32Array
  readonly #clock: () => number

  /** @param clock ms since 1970 */
  constructor(shared: SharedCounts, store: Store, clock: () => number) {
    this.#clock = clock
    this.#persister = new CountPersister(shared, store)
    this.#counted = new Int32Array(shared.counted)
  }

  take(allowance: Allowance, now: number): number {
    const day = dayOfMs(now)
    const slot = slotOf(allowance.account, day)
    for (;;) {
      const cell = this.#cellOn(allowance.account, slot, day)
      const left = allowance.limit - countIn(cell)
      if (left <= 0) return refusal.exhausted
      if (Atomics.compareExchange(this.#counted, slot, cell, cell + 1) === cell) return left - 1
    }
  }

  async resolve(allowance: Allowance): Promise<Resolved> {
    const at = this.#clock()
    return { left: this.take(allowance, at), at }
  }

  remaining(allowance: Allowance, now: number): number {
    return Math.max(allowance.limit - this.countOf(allowance.account, dayOfMs(now)), 0)
  }

  countOf(account: number, day: number): number {
    return countIn(this.#cellOn(account, slotOf(account, day), day))
  }

  /** Counts one request without regard to the quota. Returns the new count. */
  add(account: number, day: number): number {
    const slot = slotOf(account, day)
    for (;;) {
      const cell = this.#cellOn(account, slot, day)
      if (Atomics.compareExchange(this.#counted, slot, cell, cell + 1) === cell) return countIn(cell) + 1
    }
  }

  refund(account: number, day: number): void {
    addTo(this.#counted, slotOf(account, day), tagOf(day), -1)
  }

  close(): void {}

  /**
   * Returns the account's counter, and begins that day in the counter first if necessary. A plain read saves a call of
   * Atomics. If another thread changes the counter meanwhile, the caller's compareExchange fails.
   */
  #cellOn(account: number, slot: number, day: number): number {
    for (;;) {
      const cell = this.#counted[slot]!
      if (tagIn(cell) === tagOf(day)) return cell
      this.#persister.startDay(account, slot, day)
    }
  }
}
