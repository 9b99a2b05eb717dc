/** Limits a minute on what people do: look-ups and suggestions, of an account or a network, and wrong sign-in links, of a network. */
import { isIP } from 'node:net'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { networkOf } from '../addresses.ts'
import {
  guessersMax,
  lookUpsPerMinuteMax,
  lookUpWindowMs,
  strangerLookUpsPerMinuteMax,
  strangerSuggestionsPerMinuteMax,
  suggestionsPerMinuteMax,
} from '../limits.ts'

/** An account's number, or a network. */
type Asker = number | string

/** A window of one minute for each account and network. It begins with the first that is taken. */
export class RateLimit {
  readonly #max: number
  readonly #strangersMax: number
  /** Oldest first. When there are too many, the oldest ends early. */
  readonly #windows = new Map<Asker, { readonly since: number; count: number }>()

  /** @param max of an account @param strangersMax of a network */
  constructor(max: number, strangersMax = max) {
    this.#max = max
    this.#strangersMax = strangersMax
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
    if (known.count >= (typeof asker === 'number' ? this.#max : this.#strangersMax)) {
      return known.since + lookUpWindowMs - now
    }
    known.count++
    return 0
  }

  /** Counts more, in the window of one that was taken. They may exceed the limit: nothing more is taken then. */
  add(asker: Asker, count: number): void {
    const known = this.#windows.get(asker)
    if (known !== undefined) known.count += count
  }
}

/** Suggestions are requested with each letter, but cheaper. */
export const makeLookUps = () => ({
  cards: new RateLimit(lookUpsPerMinuteMax, strangerLookUpsPerMinuteMax),
  names: new RateLimit(suggestionsPerMinuteMax, strangerSuggestionsPerMinuteMax),
})
export type LookUps = ReturnType<typeof makeLookUps>

/**
 * The network that a request for a page comes from, as the limits count it. A proxy appends the address that it sees. Anybody can
 * send the ones before it.
 * @param site whether a proxy sends the requests
 */
export function visitorNetwork(
  { trustsProxy }: { readonly trustsProxy: boolean },
  context: Pick<Context<{ Bindings: HttpBindings }>, 'env' | 'req'>,
): string {
  const forwarded = trustsProxy ? context.req.header('X-Forwarded-For')?.split(',').at(-1)?.trim() : undefined
  const isAddress = forwarded !== undefined && isIP(forwarded) !== 0
  return networkOf(isAddress ? forwarded : (context.env.incoming.socket.remoteAddress ?? ''))
}
