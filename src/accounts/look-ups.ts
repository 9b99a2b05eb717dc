/** How often an account's people may look cards up on the pages: so many in the minute that their first one begins. */
import { lookUpsPerMinuteMax, lookUpWindowMs } from '../limits.ts'
import type { Store } from '../store/store.ts'

/** Counts one if it may be. Returns 0, or how long (ms) to wait. */
export function takeLookUp(store: Store, account: number, now: number): number {
  const { people } = store
  const wait = waitFor(people.lookUpsOf(account), now)
  if (wait > 0) return wait
  return store.write(() => {
    // Of the present moment: other sessions of the account look up, too.
    const found = people.lookUpsOf(account)
    const [from, count] = found !== undefined && isSameWindow(found[0], now) ? found : [now, 0]
    people.lookUps.putSync(account, [from, count + 1])
    return 0
  })
}

function waitFor(found: readonly [from: number, count: number] | undefined, now: number): number {
  if (found === undefined || !isSameWindow(found[0], now) || found[1] < lookUpsPerMinuteMax) return 0
  return found[0] + lookUpWindowMs - now
}

/** A clock that was set back ends a window. */
const isSameWindow = (from: number, now: number): boolean => now >= from && now < from + lookUpWindowMs
