/**
 * Limits how often people act in one minute. Look-ups and suggestions are limited for each account or network, and
 * wrong sign-in links for each network.
 */
import { isIP } from 'node:net'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { networkOf } from '../../addresses.ts'
import {
  guessersMax,
  lookUpsPerMinuteMax,
  lookUpWindowMs,
  strangerCardsPerMinuteMax,
  strangerLookUpsPerMinuteMax,
  strangerSuggestionsPerMinuteMax,
  suggestionsPerMinuteMax,
} from '../../limits.ts'

/** The number of an account, or a network. */
type Asker = number | string

/** Counts in windows of one minute, one window for each account or network. A window begins with the first count. */
export class RateLimit {
  readonly #max: number
  readonly #strangersMax: number
  /** The windows, oldest first. If there are too many, the oldest one is removed early. */
  readonly #windows = new Map<Asker, { readonly since: number; count: number }>()

  /** @param max the limit of an account @param strangersMax the limit of a network */
  constructor(max: number, strangersMax = max) {
    this.#max = max
    this.#strangersMax = strangersMax
  }

  /** Counts one request, if the limit allows one more. Returns 0, or how many ms to wait. */
  take(asker: Asker, now: number): number {
    const known = this.#windows.get(asker)
    // If the clock was set back, the window ends.
    if (known === undefined || now < known.since || now >= known.since + lookUpWindowMs) {
      this.#windows.delete(asker)
      if (this.#windows.size >= guessersMax) this.#windows.delete(this.#windows.keys().next().value!)
      this.#windows.set(asker, { since: now, count: 1 })
      return 0
    }
    if (known.count >= (typeof asker === 'number' ? this.#max : this.#strangersMax)) {
      return known.since + lookUpWindowMs - now
    }
    known.count++
    return 0
  }

  /**
   * Adds to the current window of an asker. The sum may exceed the limit; `take` then allows no more in this window.
   */
  add(asker: Asker, count: number): void {
    const known = this.#windows.get(asker)
    if (known !== undefined) known.count += count
  }
}

/**
 * Suggestions have a higher limit, because they are requested with each letter and cost less. Cards that a stranger
 * opens have their own limit, because one search leads to several cards. Cards that an account opens count as searches.
 */
export const makeLookUps = () => ({
  opened: new RateLimit(strangerCardsPerMinuteMax),
  cards: new RateLimit(lookUpsPerMinuteMax, strangerLookUpsPerMinuteMax),
  names: new RateLimit(suggestionsPerMinuteMax, strangerSuggestionsPerMinuteMax),
})
export type LookUps = ReturnType<typeof makeLookUps>

/**
 * Returns the network that a request for a page comes from, as the limits use it. A proxy appends the address that it
 * sees to X-Forwarded-For. Only this last address is used, since a client can send any addresses before it.
 * @param site says whether a proxy sends the requests
 */
export function visitorNetwork(
  { trustsProxy }: { readonly trustsProxy: boolean },
  context: Pick<Context<{ Bindings: HttpBindings }>, 'env' | 'req'>,
): string {
  const forwarded = trustsProxy ? context.req.header('X-Forwarded-For')?.split(',').at(-1)?.trim() : undefined
  const isAddress = forwarded !== undefined && isIP(forwarded) !== 0
  return networkOf(isAddress ? forwarded : (context.env.incoming.socket.remoteAddress ?? ''))
}
