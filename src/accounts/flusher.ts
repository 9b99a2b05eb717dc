/** Writes to the store what the threads note in shared memory: their counts, and when keys were last used. */
import { flushWaitMsMax } from '../limits.ts'
import type { SharedCounts } from '../quota/counters.ts'
import { CountPersister } from '../quota/persist.ts'
import { systemClocks } from '../quota/quota.ts'
import { Busy } from '../store/accounts-error.ts'
import type { Store } from '../store/store.ts'
import type { SharedAccounts } from './shared.ts'

export class Flusher {
  readonly #store: Store
  readonly #persister: CountPersister
  readonly #clocks: Pick<typeof systemClocks, 'monotonic'>
  readonly #lastUses: LastUses | undefined
  /** By the monotonic clock: when the store last had all counts. */
  #flushedAt: number
  /** How many flushes have failed, and why the last one did; undefined if it succeeded. */
  failures = 0
  failure: string | undefined

  constructor(shared: SharedCounts, store: Store, clocks = systemClocks, lastUses?: LastUses) {
    this.#store = store
    this.#persister = new CountPersister(shared, store)
    this.#clocks = clocks
    this.#lastUses = lastUses
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
      const lastUses = this.#lastUses?.collect() === true ? this.#lastUses : undefined
      if (slots.length > 0 || lastUses !== undefined) {
        this.#persister.persist(slots, () => lastUses?.write(), flushWaitMsMax)
        lastUses?.written()
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

/** When each key was last used: written in the same transaction as the counts, so that one disk write serves both. */
export class LastUses {
  readonly #store: Store
  readonly #used: Uint32Array
  readonly #stored: Uint32Array
  #changed: (readonly [key: number, second: number])[] = []

  constructor(shared: SharedAccounts, store: Store) {
    this.#store = store
    this.#used = new Uint32Array(shared.lastUsed)
    this.#stored = new Uint32Array(this.#used.length)
  }

  /** Returns whether there is something to write. */
  collect(): boolean {
    this.#changed = []
    const keys = this.#store.counter('nextKey')
    for (let key = 0; key < keys; key++) {
      const second = this.#used[key]!
      if (second !== this.#stored[key]) this.#changed.push([key, second])
    }
    return this.#changed.length > 0
  }

  /** Writes it, within the transaction. */
  write(): void {
    for (const [key, second] of this.#changed) this.#store.putKeyUse(key, second)
  }

  /** Runs when it is on disk. */
  written(): void {
    for (const [key, second] of this.#changed) this.#stored[key] = second
  }
}
