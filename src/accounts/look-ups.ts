/** How often an account's people may look cards up on the pages: so many in the minute that their first one begins. */
import { lookUpsPerMinuteMax, lookUpWindowMs } from '../limits.ts'
import type { Store } from '../store/store.ts'

/** Counts one if it may be. Returns 0, or how long (ms) to wait. */
export function takeLookUp(store: Store, account: number, now: number): number {
  return store.write(() => {
    const found = store.lookUps(account)
    // A clock that was set back ends a window.
    const isSameWindow = found !== undefined && now >= found.since && now < found.since + lookUpWindowMs
    const { since, count } = isSameWindow ? found : { since: now, count: 0 }
    if (count >= lookUpsPerMinuteMax) return since + lookUpWindowMs - now
    store.putLookUps(account, { since, count: count + 1 })
    return 0
  })
}
