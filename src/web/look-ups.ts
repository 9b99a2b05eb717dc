/** Limits on look-ups by people: a window of one minute for each account or address. It begins with the first look-up. */
import {
  guessersMax,
  lookUpsPerMinuteMax,
  lookUpWindowMs,
  strangerLookUpsPerMinuteMax,
  strangerSuggestionsPerMinuteMax,
  suggestionsPerMinuteMax,
} from '../limits.ts'

/** An account's number, or the address of somebody without one. */
export type Asker = number | string

export class LookUps {
  readonly #accounts = new Windows(lookUpsPerMinuteMax)
  readonly #strangers = new Windows(strangerLookUpsPerMinuteMax)
  /** Requested with each letter, but cheaper. */
  readonly #suggestions = new Windows(suggestionsPerMinuteMax)
  readonly #strangerSuggestions = new Windows(strangerSuggestionsPerMinuteMax)

  /** Counts a look-up if the limit allows it. Returns 0, or how long (ms) to wait. */
  take(asker: Asker, now: number): number {
    return (typeof asker === 'number' ? this.#accounts : this.#strangers).take(asker, now)
  }

  /** The same for suggestions. */
  takeSuggestions(asker: Asker, now: number): number {
    return (typeof asker === 'number' ? this.#suggestions : this.#strangerSuggestions).take(asker, now)
  }
}

class Windows {
  readonly #max: number
  /** Oldest first. When there are too many, the oldest ends early. */
  readonly #windows = new Map<Asker, { readonly since: number; count: number }>()

  constructor(max: number) {
    this.#max = max
  }

  take(asker: Asker, now: number): number {
    const known = this.#windows.get(asker)
    // A clock that was set back ends a window.
    if (known === undefined || now < known.since || now >= known.since + lookUpWindowMs) {
      this.#windows.delete(asker)
      if (this.#windows.size >= guessersMax) this.#windows.delete(this.#windows.keys().next().value!)
      this.#windows.set(asker, { since: now, count: 1 })
      return 0
    }
    if (known.count >= this.#max) return known.since + lookUpWindowMs - now
    known.count++
    return 0
  }
}
