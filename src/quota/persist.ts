/**
 * Writes counts to the store, and moves counters from one day to the next.
 *
 *   counted ── is ahead of ──▶ stored ── equals ──▶ the table `usage`
 *
 * A counter begins another day only if `counted` and `stored` have the same value for it, so no request is lost. If
 * they differ, the counter is persisted first. One thread at a time persists, from the transaction to the update of
 * `stored`, so nothing is added twice. Beginning a day writes nothing to disk and has a lock of its own, so requests do
 * not wait for a disk at midnight.
 */
import { accountsMax } from '../limits.ts'
import type { Store } from '../store/store.ts'
import { alone, countIn, lock, pack, type SharedCounts, tagIn, tagOf } from './counters.ts'

export class CountPersister {
  readonly #store: Store
  readonly #leased: boolean
  readonly #locks: Int32Array
  readonly #counted: Int32Array
  readonly #stored: Int32Array
  readonly #days: Int32Array

  constructor(shared: SharedCounts, store: Store) {
    this.#store = store
    this.#leased = shared.leased
    this.#locks = new Int32Array(shared.locks)
    this.#counted = new Int32Array(shared.counted)
    this.#stored = new Int32Array(shared.stored)
    this.#days = new Int32Array(shared.days)
  }

  /**
   * Begins a day in an account's counter: at the store's count of that day, or at 0 with leases. When this returns, the
   * store has the count of the counter's previous day. Throws what the store throws.
   */
  startDay(account: number, slot: number, day: number): void {
    while (!alone(this.#locks, lock.changingDay, () => this.#changeDay(account, slot, day))) {
      this.persist([slot], () => {})
    }
  }

  /**
   * The slots that differ from the store, of accounts with numbers below `accounts`. One pass over flat memory takes
   * 1 ms for a million slots.
   */
  unpersisted(accounts: number): number[] {
    const found: number[] = []
    for (const buffer of [0, accountsMax]) {
      for (let slot = buffer; slot < buffer + accounts; slot++) {
        if (this.#counted[slot]! !== this.#stored[slot]!) found.push(slot)
      }
    }
    return found
  }

  /** Writes the counts of slots, and runs `besides`, in one transaction. Throws what the store throws. */
  persist(slots: readonly number[], besides: () => void, waitMsMax?: number): void {
    alone(this.#locks, lock.persisting, () => {
      const written = this.#store.write(() => {
        besides()
        return slots.map((slot) => this.#write(slot))
      }, waitMsMax)
      // If another day started in the counter meanwhile, `stored` has that day's value already.
      for (const { slot, before, now } of written) Atomics.compareExchange(this.#stored, slot, before, now)
    })
  }

  #write(slot: number): { slot: number; before: number; now: number } {
    const before = Atomics.load(this.#stored, slot)
    const counted = Atomics.load(this.#counted, slot)
    const added = countIn(counted) - countIn(before)
    if (tagIn(before) !== tagIn(counted) || added === 0) return { slot, before, now: before }
    this.#store.addUsage(this.#days[tagIn(counted)]!, slot % accountsMax, added)
    return { slot, before, now: counted }
  }

  /** Begins a day in a counter. Returns false if the counter must be persisted first. */
  #changeDay(account: number, slot: number, day: number): boolean {
    const tag = tagOf(day)
    const counted = Atomics.load(this.#counted, slot)
    if (tagIn(counted) === tag) return true
    if (counted !== Atomics.load(this.#stored, slot)) return false
    this.#days[tag] = day
    const start = pack(tag, this.#leased ? 0 : this.#store.usedOn(day, account))
    // Another thread may have counted a request of the old day.
    if (Atomics.compareExchange(this.#counted, slot, counted, start) !== counted) return false
    // Until this line, `counted` and `stored` have different days in this slot, so `#write` skips the slot.
    Atomics.store(this.#stored, slot, start)
    return true
  }
}
