/**
 * Requests that wait for the rest of their body or the shared quota store. The first of these events ends a wait:
 *
 *   what it waits for comes   `end` returns true, and the caller sends the response
 *   the client disconnects    nothing can be sent
 *   the server stops          after a bound, `endAll` gives up each request that still waits
 */

import type { HttpResponse } from './connections/uws.ts'
import type { Instrumentation, SuspendedRequest } from './instrumentation.ts'

export interface Waiter {
  readonly res: HttpResponse
}

export class Waiting<Request extends Waiter> {
  /** How many requests were given up. */
  givenUp = 0
  readonly #requests = new Map<Request, SuspendedRequest | undefined>()
  readonly #instrumentation: Instrumentation | undefined

  constructor(instrumentation: Instrumentation | undefined) {
    this.#instrumentation = instrumentation
  }

  /** How many wait now. */
  get count(): number {
    return this.#requests.size
  }

  begin(request: Request): void {
    this.#requests.set(request, this.#instrumentation?.suspend())
    request.res.onAborted(() => this.#requests.delete(request))
  }

  /** True if the caller must send the response now; false if the wait has ended before, and the response is invalid. */
  end(request: Request): boolean {
    const suspended = this.#requests.get(request)
    if (!this.#requests.delete(request)) return false
    if (suspended !== undefined) this.#instrumentation?.resume(suspended)
    return true
  }

  /** Passes each request that still waits to `giveUp`, which must send a response. */
  endAll(giveUp: (request: Request) => void): void {
    for (const request of [...this.#requests.keys()]) {
      // Giving up an earlier one may have ended this wait.
      if (!this.end(request)) continue
      this.givenUp++
      giveUp(request)
    }
  }
}
