/** How often an account's people may look cards up on the pages: so many in the minute that their first one begins. */
import { guessersMax, lookUpsPerMinuteMax, lookUpWindowMs, suggestionsPerMinuteMax } from '../limits.ts'

export class LookUps {
  readonly #lookUps = new Windows(lookUpsPerMinuteMax)
  /** Asked for with each letter, but cheaper. */
  readonly #suggestions = new Windows(suggestionsPerMinuteMax)

  /** Counts one if it may be. Returns 0, or how long (ms) to wait. */
  take(account: number, now: number): number {
    return this.#lookUps.take(account, now)
  }

  /** The same of suggestions. */
  takeSuggestions(account: number, now: number): number {
    return this.#suggestions.take(account, now)
  }
}

class Windows {
  readonly #max: number
  /** By account number. */
  readonly #windows = new Map<number, { readonly since: number; count: number }>()

  constructor(max: number) {
    this.#max = max
  }

  take(account: number, now: number): number {
    const known = this.#windows.get(account)
    // A clock that was set back ends a window.
    if (known === undefined || now < known.since || now >= known.since + lookUpWindowMs) {
      if (this.#windows.size >= guessersMax) this.#windows.clear()
      this.#windows.set(account, { since: now, count: 1 })
      return 0
    }
    if (known.count >= this.#max) return known.since + lookUpWindowMs - now
    known.count++
    return 0
  }
}
