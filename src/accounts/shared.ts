/**
 * Memory that the supervisor and all threads share about accounts. It is reserved for `keysMax` keys, but only touched pages cost
 * anything, and key numbers are dense.
 */
import { keysMax } from '../limits.ts'
import { reserveCounters, reserveCounts, type SharedCounts } from '../quota/counters.ts'
import type { Beside } from '../quota/flusher.ts'
import { reserveLeases } from '../quota/leases/shared-state.ts'
import type { Store } from '../store/store.ts'

/** All that a thread needs of the accounts; can be cloned into workerData. */
export interface SharedAccounts {
  readonly storeDir: string
  /** One cell, which rises with every change of an account or a key. */
  readonly generation: SharedArrayBuffer
  /** One cell a key: Unix seconds of its last request. */
  readonly lastUsed: SharedArrayBuffer
  readonly quota: SharedCounts
  /** A FreshnessLease; only if accounts are shared with other servers. */
  readonly freshness?: SharedArrayBuffer | undefined
}

/** @param leased whether quotas are shared with other servers @param replicated whether accounts are */
export function reserveAccounts(storeDir: string, leased: boolean, replicated = false): SharedAccounts {
  return {
    storeDir,
    generation: reserveCounters(1),
    lastUsed: reserveCounters(keysMax),
    quota: leased ? reserveLeases() : reserveCounts(),
    ...(replicated && { freshness: reserveCounters(1) }),
  }
}

/** Makes every thread forget the keys it remembers, because the store has other accounts or keys now. */
export function invalidateThreads({ generation }: Pick<SharedAccounts, 'generation'>): void {
  Atomics.add(new Int32Array(generation), 0, 1)
}

/** Writes to the store when each key was last used, together with the counts. */
export class LastUses implements Beside {
  readonly #store: Store
  readonly #used: Uint32Array
  readonly #stored: Uint32Array
  #changed: (readonly [key: number, second: number])[] = []

  constructor(shared: SharedAccounts, store: Store) {
    this.#store = store
    this.#used = new Uint32Array(shared.lastUsed)
    this.#stored = new Uint32Array(this.#used.length)
  }

  collect(): boolean {
    this.#changed = []
    const keys = this.#store.counter('nextKey')
    for (let key = 0; key < keys; key++) {
      const second = this.#used[key]!
      if (second !== this.#stored[key]) this.#changed.push([key, second])
    }
    return this.#changed.length > 0
  }

  write(): void {
    for (const [key, second] of this.#changed) this.#store.putKeyUse(key, second)
  }

  written(): void {
    for (const [key, second] of this.#changed) this.#stored[key] = second
  }
}
