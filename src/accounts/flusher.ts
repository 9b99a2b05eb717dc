/**
 * Carries counts from shared memory to the store, as increments: several processes may count on one store, and each
 * adds its own and takes over what the others have added.
 */

import { accountsMax } from '../limits.ts'
import { addTo, countIn, dayBehind, pack, type SharedAccounts, signal, tagIn } from './shared.ts'
import type { Store } from './store.ts'
import { dropOldUsage } from './usage.ts'

/** Old days are deleted in parts, so that no flush is a long one. */
const dropPerFlushMax = 5000

interface Written {
  readonly slot: number
  readonly tag: number
  /** What `stored` is to hold. */
  readonly count: number
  readonly added: number
  /** Added by other processes since the last flush. */
  readonly foreign: number
}

export class Flusher {
  readonly #store: Store
  readonly #leased: boolean
  readonly #signals: Int32Array
  readonly #counted: Int32Array
  readonly #stored: Int32Array
  readonly #lastUsed: Uint32Array
  /** Last uses as the store has them, as far as this process knows. */
  readonly #lastUsedStored: Uint32Array
  #flushes: number
  #droppedBefore = 0

  constructor(shared: SharedAccounts, store: Store) {
    this.#store = store
    this.#leased = shared.leased
    this.#signals = new Int32Array(shared.signals)
    this.#counted = new Int32Array(shared.counted)
    this.#stored = new Int32Array(shared.stored)
    this.#lastUsed = new Uint32Array(shared.lastUsed)
    this.#lastUsedStored = new Uint32Array(this.#lastUsed.length)
    this.#flushes = store.counter('flushes')
  }

  /** Writes what has changed, in one transaction; throws what the store throws, and then nothing is written. */
  flush(): void {
    this.#store.refresh()
    const keys = this.#usedKeys()
    const latestDay = Atomics.load(this.#signals, signal.latestDay)
    const dropping = this.#droppedBefore !== latestDay
    if (!this.#othersFlushed() && this.#slots(false).length === 0 && keys.length === 0 && !dropping) return
    let flushes = 0
    let dropped = 0
    const written = this.#store.write(() => {
      const slots = this.#slots(this.#othersFlushed()).map((slot) => this.#writeSlot(slot, latestDay))
      for (const [key, second] of keys) this.#putLastUse(key, second)
      if (dropping) dropped = dropOldUsage(this.#store, latestDay, dropPerFlushMax)
      flushes = this.#store.counter('flushes')
      if (slots.some((slot) => slot.added !== 0)) this.#store.setCounter('flushes', ++flushes)
      return slots
    })
    this.#flushes = flushes
    if (dropped < dropPerFlushMax) this.#droppedBefore = latestDay
    for (const [key, second] of keys) this.#lastUsedStored[key] = second
    for (const { slot, tag, count, foreign } of written) {
      Atomics.store(this.#stored, slot, pack(tag, count))
      if (foreign !== 0) addTo(this.#counted, slot, tag, foreign)
    }
  }

  /** Whether other processes have added since this one last looked; with leases their counts do not matter here. */
  #othersFlushed(): boolean {
    return !this.#leased && this.#store.counter('flushes') !== this.#flushes
  }

  /** Slots with something to write; with `all`, every slot in use. One pass over flat memory: 1 ms a million. */
  #slots(all: boolean): number[] {
    const found: number[] = []
    const accounts = this.#store.counter('nextAccount')
    for (const plane of [0, accountsMax]) {
      for (let slot = plane; slot < plane + accounts; slot++) {
        const counted = this.#counted[slot]!
        const stored = this.#stored[slot]!
        if ((counted !== stored || (all && counted !== 0)) && tagIn(counted) === tagIn(stored)) found.push(slot)
      }
    }
    return found
  }

  #writeSlot(slot: number, latestDay: number): Written {
    const counted = Atomics.load(this.#counted, slot)
    const before = countIn(this.#stored[slot]!)
    const tag = tagIn(counted)
    const entry: [number, number] = [dayBehind(tag, latestDay), slot % accountsMax]
    const found = this.#store.usage.get(entry) ?? 0
    const added = countIn(counted) - before
    if (added !== 0) this.#store.usage.putSync(entry, Math.max(found + added, 0))
    if (this.#leased) return { slot, tag, count: countIn(counted), added, foreign: 0 }
    return { slot, tag, count: Math.max(found + added, 0), added, foreign: found - before }
  }

  #usedKeys(): [key: number, second: number][] {
    const found: [number, number][] = []
    const keys = this.#store.counter('nextKey')
    for (let key = 0; key < keys; key++) {
      const second = this.#lastUsed[key]!
      if (second !== this.#lastUsedStored[key]) found.push([key, second])
    }
    return found
  }

  #putLastUse(key: number, second: number): void {
    if (second > (this.#store.lastUsed.get(key) ?? 0)) this.#store.lastUsed.putSync(key, second)
  }
}
