/**
 * Requests that can't be answered yet: the rest of a body is on its way, or the shared quota store is being asked. A wait
 * is ended once, by what comes first, and whoever ends it answers:
 *
 *   what was waited for is there   end(…) is true, and the answer is sent
 *   the client leaves              nothing can be sent any more
 *   the server stops               all that wait on, for too long, are ended one by one and told so
 */
import type { HttpResponse } from './uws.ts'

const checkMs = 10

/** What is known of a request that waits. */
export interface Late {
  readonly res: HttpResponse
}

export class Waiting<Request extends Late> {
  readonly #requests = new Set<Request>()

  begin(request: Request): void {
    this.#requests.add(request)
    request.res.onAborted(() => this.#requests.delete(request))
  }

  /** False if the wait was ended before: then the response must not be touched. */
  end(request: Request): boolean {
    return this.#requests.delete(request)
  }

  /** Resolves when no request waits, with those that still do after `msMax`. */
  async drained(msMax: number): Promise<readonly Request[]> {
    const deadline = performance.now() + msMax
    do await new Promise((resume) => setTimeout(resume, checkMs))
    while (this.#requests.size > 0 && performance.now() < deadline)
    return [...this.#requests]
  }
}
