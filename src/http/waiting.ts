/**
 * Requests that wait for the rest of their body or for the shared quota store. The first of these events ends a wait:
 *
 *   the body or the store comes   `end` returns true, and the caller sends the response
 *   the client disconnects        nothing can be sent
 *   the server stops              after a bounded time, `endAll` rejects each request that still waits
 */

import type { HttpResponse } from './connections/uws.ts'
import type { Instrumentation, SuspendedRequest } from './instrumentation.ts'

export interface Waiter {
  readonly res: HttpResponse
}

export class Waiting<Request extends Waiter> {
  /** The number of requests that the server rejected when it stopped. */
  givenUp = 0
  readonly #requests = new Map<Request, SuspendedRequest | undefined>()
  readonly #instrumentation: Instrumentation | undefined

  constructor(instrumentation: Instrumentation | undefined) {
    this.#instrumentation = instrumentation
  }

  /** The number of requests that wait now. */
  get count(): number {
    return this.#requests.size
  }

  begin(request: Request): void {
    this.#requests.set(request, this.#instrumentation?.suspend())
    request.res.onAborted(() => this.#requests.delete(request))
  }

  /**
   * Ends the wait. Returns true if the caller must send the response now; false if the wait has ended before, so that
   * the response must not be used.
   */
  end(request: Request): boolean {
    const suspended = this.#requests.get(request)
    if (!this.#requests.delete(request)) return false
    if (suspended !== undefined) this.#instrumentation?.resume(suspended)
    return true
  }

  /** Passes each request that still waits to `giveUp`, which must send a response. */
  endAll(giveUp: (request: Request) => void): void {
    for (const request of [...this.#requests.keys()]) {
      // The call for an earlier request may have ended this wait.
      if (!this.end(request)) continue
      this.givenUp++
      giveUp(request)
    }
  }
}
