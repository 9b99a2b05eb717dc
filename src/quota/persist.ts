/**
 * From the cells to the store, and from one day to the next.
 *
 *   counted ─ ahead of ─▶ stored ─ is what ─▶ usage holds
 *
 * A cell changes its day only while it equals its neighbour in `stored`: then nothing is lost by it. Else what it holds
 * is carried first. Carrying is one thread's at a time, from the transaction to the note in `stored`, so that nothing is
 * added twice; the change of a day is short, without a write, and has a lock of its own, so that a request does not wait
 * for a disk at each midnight.
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
   * Gives an account's cell the day, with what the store holds of it; with leases a count begins at 0. What was counted
   * on the cell's day until now is in the store when this returns. Throws what the store throws.
   */
  takeOver(account: number, slot: number, day: number): void {
    while (!alone(this.#locks, lock.changingDay, () => this.#changeDay(account, slot, day))) {
      this.persist([slot], () => {})
    }
  }

  /** Slots of accounts below `accounts` that hold more, or less, than the store. One pass over flat memory: 1 ms a million. */
  unpersisted(accounts: number): number[] {
    const found: number[] = []
    for (const plane of [0, accountsMax]) {
      for (let slot = plane; slot < plane + accounts; slot++) {
        if (this.#counted[slot]! !== this.#stored[slot]!) found.push(slot)
      }
    }
    return found
  }

  /** Adds to the store what slots hold above `stored`, in one transaction with `besides`. Throws what the store throws. */
  persist(slots: readonly number[], besides: () => void, waitMsMax?: number): void {
    alone(this.#locks, lock.carrying, () => {
      const written = this.#store.write(() => {
        besides()
        return slots.map((slot) => this.#write(slot))
      }, waitMsMax)
      // A day that began meanwhile has set its own value, and keeps it.
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

  /** False if something must be carried first. */
  #changeDay(account: number, slot: number, day: number): boolean {
    const tag = tagOf(day)
    const counted = Atomics.load(this.#counted, slot)
    if (tagIn(counted) === tag) return true
    if (counted !== Atomics.load(this.#stored, slot)) return false
    this.#days[tag] = day
    const start = pack(tag, this.#leased ? 0 : this.#countStored(account, day))
    // A request of the old day may have come between.
    if (Atomics.compareExchange(this.#counted, slot, counted, start) !== counted) return false
    // While the two are of different days, nothing is carried.
    Atomics.store(this.#stored, slot, start)
    return true
  }

  #countStored(account: number, day: number): number {
    return this.#store.usedOn(day, account)
  }
}
