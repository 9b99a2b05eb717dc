/** Limits a minute on what people do: look-ups and suggestions, of an account or a network, and wrong sign-in links, of a network. */
import { isIP } from 'node:net'
import { networkOf } from '../addresses.ts'
import {
  guessersMax,
  lookUpsPerMinuteMax,
  lookUpWindowMs,
  strangerLookUpsPerMinuteMax,
  strangerSuggestionsPerMinuteMax,
  suggestionsPerMinuteMax,
} from '../limits.ts'
import type { PageContext, Site } from './site.ts'

/** An account's number, or a network. */
type Asker = number | string

/** One limit for accounts, one for people without. Suggestions are requested with each letter, but cheaper. */
export class LookUps {
  readonly #cards = [new RateLimit(lookUpsPerMinuteMax), new RateLimit(strangerLookUpsPerMinuteMax)] as const
  readonly #names = [new RateLimit(suggestionsPerMinuteMax), new RateLimit(strangerSuggestionsPerMinuteMax)] as const

  /** Returns 0, or how long (ms) to wait. */
  take(asker: Asker, now: number): number {
    return this.#cards[kindOf(asker)].take(asker, now)
  }

  /** Counts more, in the window of one that was taken. They may exceed the limit: nothing more is taken then. */
  add(asker: Asker, count: number): void {
    this.#cards[kindOf(asker)].add(asker, count)
  }

  /** Takes a request for suggestions: 0, or how long (ms) to wait. */
  takeSuggestions(asker: Asker, now: number): number {
    return this.#names[kindOf(asker)].take(asker, now)
  }
}

const kindOf = (asker: Asker) => (typeof asker === 'number' ? 0 : 1)

/** A window of one minute for each asker. It begins with the first that is taken. */
export class RateLimit {
  readonly #max: number
  /** Oldest first. When there are too many, the oldest ends early. */
  readonly #windows = new Map<Asker, { readonly since: number; count: number }>()

  constructor(max: number) {
    this.#max = max
  }

  /** Counts one if the limit allows it. Returns 0, or how long (ms) to wait. */
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

  add(asker: Asker, count: number): void {
    const known = this.#windows.get(asker)
    if (known !== undefined) known.count += count
  }
}

/**
 * The network that a request for a page comes from, as the limits count it. A proxy appends the address that it sees. Anybody can
 * send the ones before it.
 */
export function visitorNetwork({ trustsProxy }: Site, context: PageContext): string {
  const forwarded = trustsProxy ? context.req.header('X-Forwarded-For')?.split(',').at(-1)?.trim() : undefined
  const isAddress = forwarded !== undefined && isIP(forwarded) !== 0
  return networkOf(isAddress ? forwarded : (context.env.incoming.socket.remoteAddress ?? ''))
}
