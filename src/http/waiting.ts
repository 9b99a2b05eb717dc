/**
 * Requests that can't be answered yet: the rest of a body is on its way, or the shared quota store is being asked. A wait
 * is ended once, by what comes first, and whoever ends it answers:
 *
 *   what was waited for is there   end(…) is true, and the answer is sent
 *   the client leaves              nothing can be sent any more
 *   the server stops               all that wait on, for too long, are given up one by one and told so
 */
import type { Begun, Instrumentation } from './instrumentation.ts'
import type { HttpResponse } from './uws.ts'

const checkMs = 10

/** What is known of a request that waits. */
export interface Late {
  readonly res: HttpResponse
}

export class Waiting<Request extends Late> {
  /** How many have waited, those that still do among them, and how many were given up. */
  begun = 0
  givenUp = 0
  /** Each with what is to be resumed before it is answered, if answers are counted. */
  readonly #requests = new Map<Request, Begun | undefined>()
  readonly #meter: Instrumentation | undefined

  constructor(meter?: Instrumentation) {
    this.#meter = meter
  }

  /** How many wait now. */
  get count(): number {
    return this.#requests.size
  }

  begin(request: Request): void {
    this.begun++
    this.#requests.set(request, this.#meter?.keep())
    request.res.onAborted(() => this.#requests.delete(request))
  }

  /** To be answered at once; false if the wait was ended before: then the response must not be touched. */
  end(request: Request): boolean {
    const begun = this.#requests.get(request)
    if (!this.#requests.delete(request)) return false
    if (begun !== undefined) this.#meter?.resume(begun)
    return true
  }

  /** Resolves when no request waits: those that still do after `msMax` are handed to `giveUp`, which answers them. */
  async drain(msMax: number, giveUp: (request: Request) => void): Promise<void> {
    const deadline = performance.now() + msMax
    do await new Promise((resume) => setTimeout(resume, checkMs))
    while (this.#requests.size > 0 && performance.now() < deadline)
    for (const request of [...this.#requests.keys()]) {
      // The answer to one before it may have ended it.
      if (!this.end(request)) continue
      this.givenUp++
      giveUp(request)
    }
  }
}
