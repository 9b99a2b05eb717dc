/** Writes to the store what the threads note in shared memory: their counts, and when keys were last used. */
import type { SharedCounts } from '../quota/counters.ts'
import { CountPersister } from '../quota/persist.ts'
import { systemClocks } from '../quota/quota.ts'
import { Busy } from '../store/accounts-error.ts'
import type { Store } from '../store/store.ts'

/** How long a flush waits for another transaction before it gives up. */
export const flushWaitMsMax = 200

export class Flusher {
  readonly #store: Store
  readonly #persister: CountPersister
  readonly #clocks: Pick<typeof systemClocks, 'monotonic'>
  /** Unix seconds of each key's last request, by key number. */
  readonly #lastUsed: Uint32Array
  /** The values of `#lastUsed` that were last written to the store, by key number. */
  readonly #stored: Uint32Array
  /** When the store last had all counts, by the monotonic clock. */
  #flushedAt: number
  /** How many flushes have failed. A flush that found the store busy is not counted. */
  failures = 0

  /** @param lastUsed as in SharedAccounts; by default uses of keys are not written */
  constructor(shared: SharedCounts, store: Store, clocks = systemClocks, lastUsed = new SharedArrayBuffer(0)) {
    this.#store = store
    this.#persister = new CountPersister(shared, store)
    this.#clocks = clocks
    this.#lastUsed = new Uint32Array(lastUsed)
    this.#stored = new Uint32Array(this.#lastUsed.length)
    this.#flushedAt = clocks.monotonic()
  }

  /** How long (ms) the store may have lacked counts. */
  get ageMs(): number {
    return this.#clocks.monotonic() - this.#flushedAt
  }

  /**
   * Writes all changed counts and uses of keys in one transaction, so that one disk write serves both. Throws if they
   * could not be written.
   */
  flush(): void {
    try {
      const slots = this.#persister.unpersisted(this.#store.counter('nextAccount'))
      const uses = this.#changedUses()
      if (slots.length > 0 || uses.length > 0) {
        const writeUses = () => {
          for (const [key, second] of uses) this.#store.putKeyUse(key, second)
        }
        this.#persister.persist(slots, writeUses, flushWaitMsMax)
        for (const [key, second] of uses) this.#stored[key] = second
      }
      this.#flushedAt = this.#clocks.monotonic()
    } catch (error) {
      if (!(error instanceof Busy)) this.failures++
      throw error
    }
  }

  #changedUses(): [key: number, second: number][] {
    const changed: [key: number, second: number][] = []
    const keys = Math.min(this.#store.counter('nextKey'), this.#lastUsed.length)
    for (let key = 0; key < keys; key++) {
      const second = this.#lastUsed[key]!
      if (second !== this.#stored[key]) changed.push([key, second])
    }
    return changed
  }
}
