/** Writes down what the threads have counted, and deletes, once a day, what is too old to be kept. */

import { dayOfMs } from '../calendar.ts'
import type { Store } from '../store/store.ts'
import { Carrier } from './carry.ts'
import type { SharedCounts } from './cells.ts'
import { type Clocks, systemClocks } from './clocks.ts'
import { dropOldUsage } from './usage.ts'

/** Blocks of old days are deleted in parts, so that no flush is a long one. */
const dropPerStepMax = 500
/** A day has come when it has been the present one for so long: a clock that is wrong for a while deletes nothing. */
const dayCertainMs = 3_600_000

/** What else is written in the same transaction: a disk is waited for once. */
export interface Beside {
  /** Whether there is something to write. */
  look(): boolean
  /** Within the transaction: what was found. */
  write(): void
  /** It is on disk. */
  written(): void
}

/** What is not kept for ever, deleted once a day. */
export interface Sweep {
  /** Within a transaction: deletes a part of it, in some milliseconds; true if nothing is left to be deleted. */
  step(today: number): boolean
}

export class Flusher {
  readonly #store: Store
  readonly #carrier: Carrier
  readonly #clocks: Clocks
  readonly #beside: Beside | undefined
  readonly #sweeps: readonly Sweep[]
  /** The present day, and since when (by the steady clock) it has been. */
  #today = 0
  #todaySince = 0
  /** The day of the last sweeps, and how many of them are done. */
  #sweptOn = 0
  #swept = 0
  /** By the steady clock: when the store last had all that was counted. */
  #flushedAt: number
  /** Flushes that failed until now, and why the last one did; undefined if it did not. */
  failures = 0
  failure: string | undefined

  constructor(
    shared: SharedCounts,
    store: Store,
    clocks = systemClocks,
    beside?: Beside,
    sweeps: readonly Sweep[] = [],
  ) {
    this.#store = store
    this.#carrier = new Carrier(shared, store)
    this.#clocks = clocks
    this.#beside = beside
    const oldUsage: Sweep = { step: (today) => dropOldUsage(store, today, dropPerStepMax) < dropPerStepMax }
    this.#sweeps = [oldUsage, ...sweeps]
    this.#flushedAt = clocks.steady()
  }

  /** Since when (ms) the store may lack what was counted. */
  get ageMs(): number {
    return this.#clocks.steady() - this.#flushedAt
  }

  /** Writes what has changed, in one transaction; throws what the store throws, and then nothing is written. */
  flush(): void {
    try {
      this.#flush()
      this.#flushedAt = this.#clocks.steady()
      this.failure = undefined
    } catch (error) {
      this.failures++
      this.failure = (error as Error).message
      throw error
    }
  }

  #flush(): void {
    this.#store.refresh()
    const slots = this.#carrier.uncarried(this.#store.counter('nextAccount'))
    const beside = this.#beside?.look() === true ? this.#beside : undefined
    const sweep = this.#nextSweep()
    if (slots.length === 0 && beside === undefined && sweep === undefined) return
    let isSwept = false
    this.#carrier.carry(slots, () => {
      beside?.write()
      isSwept = sweep?.step(this.#today) === true
    })
    if (isSwept) this.#swept++
    beside?.written()
  }

  #nextSweep(): Sweep | undefined {
    if (!this.#isDayCertain()) return undefined
    if (this.#sweptOn !== this.#today) {
      this.#sweptOn = this.#today
      this.#swept = 0
    }
    return this.#sweeps[this.#swept]
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
}
