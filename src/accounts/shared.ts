/**
 * Memory about accounts that the supervisor and all threads share. It is reserved for `keysMax` keys, but only touched
 * pages cost anything, and key numbers are dense.
 */
import { keysMax } from '../limits.ts'
import { reserveCounters, reserveCounts, type SharedCounts } from '../quota/counters.ts'
import { reserveLeases } from '../quota/leases/shared-state.ts'

/** All that a thread needs of the accounts; can be cloned into workerData. */
export interface SharedAccounts {
  readonly storeDir: string
  /** One cell, which is incremented at every change of an account or a key. */
  readonly generation: SharedArrayBuffer
  /** One cell for each key: Unix seconds of the key's last request. */
  readonly lastUsed: SharedArrayBuffer
  readonly quota: SharedCounts
  /** A FreshnessLease; absent if accounts are not shared with other servers. */
  readonly freshness?: SharedArrayBuffer | undefined
}

/** @param isShared true if accounts and quotas are shared with other servers */
export function reserveAccounts(storeDir: string, isShared: boolean): SharedAccounts {
  return {
    storeDir,
    generation: reserveCounters(1),
    lastUsed: reserveCounters(keysMax),
    quota: isShared ? reserveLeases() : reserveCounts(),
    ...(isShared && { freshness: new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT) }),
  }
}

/** Makes every thread forget the keys it remembers, because the store has other accounts or keys now. */
export function invalidateThreads({ generation }: Pick<SharedAccounts, 'generation'>): void {
  Atomics.add(new Int32Array(generation), 0, 1)
}

/**
 * performance.now() counts from the start of its thread. This offset turns it into the machine's monotonic clock, which
 * is the same for all threads.
 */
const offsetMs = (() => {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6 - performance.now()
})()

/**
 * The time until which threads may use the replica of shared accounts. A process can be frozen, and continue long after
 * a key was revoked. So the supervisor renews this lease only while it sees no gap in its own time. After a gap, the
 * supervisor renews the lease once the replica is up to date. The supervisor also renews the lease once it knows that
 * the database is unavailable, or that this server rejects the database, for example because it was emptied. Keys are
 * then checked against the replica as it is.
 */
export class FreshnessLease {
  /**
   * The end, in ms of the machine's monotonic clock; 0: no key is accepted. A 64-bit machine writes eight aligned bytes
   * at once, so no thread reads half of a new value.
   */
  readonly #end: Float64Array

  constructor(cell: SharedArrayBuffer) {
    this.#end = new Float64Array(cell)
  }

  get holds(): boolean {
    return this.#end[0]! > performance.now() + offsetMs
  }

  extend(ms: number): void {
    this.#end[0] = performance.now() + offsetMs + ms
  }

  withdraw(): void {
    this.#end[0] = 0
  }
}
