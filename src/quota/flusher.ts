/** Writes down what the threads have counted. */

import { flushWaitMsMax } from '../limits.ts'
import { Busy } from '../store/accounts-error.ts'
import type { Store } from '../store/store.ts'
import { systemClocks } from './clocks.ts'
import type { SharedCounts } from './counters.ts'
import { CountPersister } from './persist.ts'

/** What else is written in the same transaction: a disk is waited for once. */
export interface Beside {
  /** Whether there is something to write. */
  look(): boolean
  /** Within the transaction: what was found. */
  write(): void
  /** It is on disk. */
  written(): void
}

export class Flusher {
  readonly #store: Store
  readonly #carrier: CountPersister
  readonly #clocks: Pick<typeof systemClocks, 'steady'>
  readonly #beside: Beside | undefined
  /** By the steady clock: when the store last had all that was counted. */
  #flushedAt: number
  /** Flushes that failed until now, and why the last one did; undefined if it did not. */
  failures = 0
  failure: string | undefined

  constructor(shared: SharedCounts, store: Store, clocks = systemClocks, beside?: Beside) {
    this.#store = store
    this.#carrier = new CountPersister(shared, store)
    this.#clocks = clocks
    this.#beside = beside
    this.#flushedAt = clocks.steady()
  }

  /** Since when (ms) the store may lack what was counted. */
  get ageMs(): number {
    return this.#clocks.steady() - this.#flushedAt
  }

  /** Writes what has changed, in one transaction; throws what the store throws, and then nothing is written. */
  flush(): void {
    try {
      const slots = this.#carrier.unpersisted(this.#store.counter('nextAccount'))
      const beside = this.#beside?.look() === true ? this.#beside : undefined
      if (slots.length > 0 || beside !== undefined) {
        this.#carrier.persist(slots, () => beside?.write(), flushWaitMsMax)
        beside?.written()
      }
      this.#flushedAt = this.#clocks.steady()
      this.failure = undefined
    } catch (error) {
      if (error instanceof Busy) throw error
      this.failures++
      this.failure = (error as Error).message
      throw error
    }
  }
}
