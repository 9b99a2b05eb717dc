/**
 * Requests that wait for the rest of their body or the shared quota store. The first of these events ends a wait:
 *
 *   the wait is over          `end` returns true, and the caller sends the response
 *   the client disconnects    nothing can be sent
 *   the server stops          after a bound, `drain` gives up each request that still waits
 */

import type { HttpResponse } from './connections/uws.ts'
import type { Instrumentation, SuspendedRequest } from './instrumentation.ts'

const checkMs = 10

export interface Waiter {
  readonly res: HttpResponse
}

export class Waiting<Request extends Waiter> {
  /** How many waits have begun, and how many requests were given up. */
  begun = 0
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
    this.begun++
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

  /** Resolves when no request waits. After `msMax`, passes each that still does to `giveUp`, which must send a response. */
  async drain(msMax: number, giveUp: (request: Request) => void): Promise<void> {
    const deadline = performance.now() + msMax
    do await new Promise((resume) => setTimeout(resume, checkMs))
    while (this.#requests.size > 0 && performance.now() < deadline)
    for (const request of [...this.#requests.keys()]) {
      // Giving up an earlier one may have ended this wait.
      if (!this.end(request)) continue
      this.givenUp++
      giveUp(request)
    }
  }
}
