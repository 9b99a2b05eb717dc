/**
 * What the supervisor and all server threads share of the accounts. Memory is reserved for `keysMax` keys, yet costs only
 * the pages that are touched: key numbers are dense.
 */
import { keysMax } from '../limits.ts'
import { reserveCounters, reserveCounts, type SharedCounts } from '../quota/counters.ts'
import { reserveLeases } from '../quota/leases/shared-state.ts'

/** Everything that a server thread needs of them; can be cloned into workerData. */
export interface SharedAccounts {
  readonly storeDir: string
  /** One cell: rises with every change of an account or a key. */
  readonly generation: SharedArrayBuffer
  /** One cell a key: Unix seconds of its last request. */
  readonly lastUsed: SharedArrayBuffer
  readonly quota: SharedCounts
  /** Only where accounts are shared with other servers, see freshness-lease.ts. */
  readonly trusted?: SharedArrayBuffer | undefined
}

/** @param leased whether quotas are shared with other servers @param copied whether accounts are */
export function reserveAccounts(storeDir: string, leased: boolean, copied = false): SharedAccounts {
  return {
    storeDir,
    generation: reserveCounters(1),
    lastUsed: reserveCounters(keysMax),
    quota: leased ? reserveLeases() : reserveCounts(),
    ...(copied && { trusted: reserveCounters(1) }),
  }
}

/** Accounts or keys have changed, and the change is in the store: every thread looks again before its next request. */
export function tellThreads({ generation }: Pick<SharedAccounts, 'generation'>): void {
  Atomics.add(new Int32Array(generation), 0, 1)
}
