/** Opens the quotas of all accounts for a thread that counts requests. */
import type { Store } from '../store/store.ts'
import type { SharedCounts } from './counters.ts'
import { Counts } from './counts.ts'
import { LeasedCounts } from './leases/leased-counts.ts'
import { isLeased } from './leases/shared-state.ts'
import type { Quota } from './quota.ts'

/** @param clock ms since 1970 */
export const openQuota = (shared: SharedCounts, store: Store, clock: () => number): Quota =>
  isLeased(shared) ? new LeasedCounts(shared, store, clock) : new Counts(shared, store, clock)
