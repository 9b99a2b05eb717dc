/** How often an account's people may look cards up on the pages: so many in the minute that their first one begins. */
import { guessersMax, lookUpsPerMinuteMax, lookUpWindowMs } from '../limits.ts'

export class LookUps {
  /** By account number. */
  readonly #windows = new Map<number, { readonly since: number; count: number }>()

  /** Counts one if it may be. Returns 0, or how long (ms) to wait. */
  take(account: number, now: number): number {
    const known = this.#windows.get(account)
    // A clock that was set back ends a window.
    if (known === undefined || now < known.since || now >= known.since + lookUpWindowMs) {
      if (this.#windows.size >= guessersMax) this.#windows.clear()
      this.#windows.set(account, { since: now, count: 1 })
      return 0
    }
    if (known.count >= lookUpsPerMinuteMax) return known.since + lookUpWindowMs - now
    known.count++
    return 0
  }
}
