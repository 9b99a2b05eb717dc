/**
 * Memory that the supervisor and all threads share about accounts. It is reserved for `keysMax` keys, but only touched pages cost
 * anything, and key numbers are dense.
 */
import { keysMax } from '../limits.ts'
import { reserveCounters, reserveCounts, type SharedCounts } from '../quota/counters.ts'
import { reserveLeases } from '../quota/leases/shared-state.ts'

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
