/** Writes the threads' counts to the store. */

import { flushWaitMsMax } from '../limits.ts'
import { Busy } from '../store/accounts-error.ts'
import type { Store } from '../store/store.ts'
import { systemClocks } from './clocks.ts'
import type { SharedCounts } from './counters.ts'
import { CountPersister } from './persist.ts'

/** Something else to write in the same transaction, so that one disk write serves both. */
export interface Beside {
  /** Returns whether there is something to write. */
  collect(): boolean
  /** Writes it, within the transaction. */
  write(): void
  /** Runs when it is on disk. */
  written(): void
}

export class Flusher {
  readonly #store: Store
  readonly #persister: CountPersister
  readonly #clocks: Pick<typeof systemClocks, 'monotonic'>
  readonly #beside: Beside | undefined
  /** By the monotonic clock: when the store last had all counts. */
  #flushedAt: number
  /** How many flushes have failed, and why the last one did; undefined if it succeeded. */
  failures = 0
  failure: string | undefined

  constructor(shared: SharedCounts, store: Store, clocks = systemClocks, beside?: Beside) {
    this.#store = store
    this.#persister = new CountPersister(shared, store)
    this.#clocks = clocks
    this.#beside = beside
    this.#flushedAt = clocks.monotonic()
  }

  /** How long (ms) the store may have lacked counts. */
  get ageMs(): number {
    return this.#clocks.monotonic() - this.#flushedAt
  }

  /** Writes all changed counts in one transaction. Throws what the store throws; then nothing is written. */
  flush(): void {
    try {
      const slots = this.#persister.unpersisted(this.#store.counter('nextAccount'))
      const beside = this.#beside?.collect() === true ? this.#beside : undefined
      if (slots.length > 0 || beside !== undefined) {
        this.#persister.persist(slots, () => beside?.write(), flushWaitMsMax)
        beside?.written()
      }
      this.#flushedAt = this.#clocks.monotonic()
      this.failure = undefined
    } catch (error) {
      if (error instanceof Busy) throw error
      this.failures++
      this.failure = (error as Error).message
      throw error
    }
  }
}
