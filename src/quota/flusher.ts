/** Writes down what the threads have counted, when each key was last used, and drops usage that is too old to be kept. */

import { dayOfMs } from '../calendar.ts'
import type { Store } from '../store/store.ts'
import { Carrier } from './carry.ts'
import type { SharedAccounts } from './cells.ts'
import { type Clocks, systemClocks } from './clocks.ts'
import { dropOldUsage } from './usage.ts'

/** Old days are deleted in parts, so that no flush is a long one. */
const dropPerFlushMax = 5000
/** A day has come when it has been the present one for so long: a clock that is wrong for a while deletes nothing. */
const dayCertainMs = 3_600_000

export class Flusher {
  readonly #store: Store
  readonly #carrier: Carrier
  readonly #clocks: Clocks
  readonly #lastUsed: Uint32Array
  /** Last uses as the store has them, as far as this process knows. */
  readonly #lastUsedStored: Uint32Array
  /** The present day, and since when (by the steady clock) it has been. */
  #today = 0
  #todaySince = 0
  /** The day on which all older usage had been dropped. */
  #droppedOn = 0

  constructor(shared: SharedAccounts, store: Store, clocks = systemClocks) {
    this.#store = store
    this.#carrier = new Carrier(shared, store)
    this.#clocks = clocks
    this.#lastUsed = new Uint32Array(shared.lastUsed)
    this.#lastUsedStored = new Uint32Array(this.#lastUsed.length)
  }

  /** Writes what has changed, in one transaction; throws what the store throws, and then nothing is written. */
  flush(): void {
    this.#store.refresh()
    const slots = this.#carrier.uncarried(this.#store.counter('nextAccount'))
    const keys = this.#usedKeys()
    const dropping = this.#isDayCertain() && this.#droppedOn !== this.#today
    if (slots.length === 0 && keys.length === 0 && !dropping) return
    let dropped = 0
    this.#carrier.carry(slots, () => {
      for (const [key, second] of keys) this.#store.lastUsed.putSync(key, second)
      if (dropping) dropped = dropOldUsage(this.#store, this.#today, dropPerFlushMax)
    })
    if (dropping && dropped < dropPerFlushMax) this.#droppedOn = this.#today
    for (const [key, second] of keys) this.#lastUsedStored[key] = second
  }

  #isDayCertain(): boolean {
    const today = dayOfMs(this.#clocks.wall())
    const now = this.#clocks.steady()
    if (today !== this.#today) {
      this.#today = today
      this.#todaySince = now
    }
    return now - this.#todaySince >= dayCertainMs
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
}
