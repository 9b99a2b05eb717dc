/**
 * One question over the network and its answer, by Node's own fetch. The head must come within 15 s, and then every 64 KiB of
 * the body: what brings less while it is waited for is broken off, be it silent or slow.
 */
import { IndexError } from '../format.ts'

/** What came to nothing on its way; what had come is good, and the rest can be asked for. */
export class BrokenOff extends IndexError {}

/** So much must come while it is waited for so long. */
export interface Patience {
  readonly ms: number
  readonly bytes: number
}

/** One question and its answer, which is broken off when it brings too little in the time that it is waited for. */
export class Exchange {
  readonly url: string
  response!: Response
  readonly #patience: Patience
  readonly #aborting = new AbortController()
  readonly #outer: AbortSignal
  #leftMs: number
  #bytes = 0

  private constructor(url: string, outer: AbortSignal, patience: Patience) {
    this.url = url
    this.#patience = patience
    this.#leftMs = patience.ms
    this.#outer = outer
    outer.addEventListener('abort', this.#abort)
  }

  static async begin(
    url: string,
    headers: Record<string, string>,
    outer: AbortSignal,
    patience: Patience,
  ): Promise<Exchange> {
    outer.throwIfAborted()
    const exchange = new Exchange(url, outer, patience)
    try {
      const { signal } = exchange.#aborting
      exchange.response = await exchange.#waitFor(fetch(url, { headers, redirect: 'manual', signal }))
      exchange.#heard(patience.bytes)
      return exchange
    } catch (error) {
      exchange.end()
      throw error
    }
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    if (this.response.body === null) return
    const reader = this.response.body.getReader()
    for (;;) {
      const { done, value } = await this.#waitFor(reader.read())
      if (done) return
      this.#heard(value.length)
      yield value
    }
  }

  end(): void {
    this.#outer.removeEventListener('abort', this.#abort)
    // What was read to its end is not touched by it: its connection can be used again.
    this.#aborting.abort()
  }

  readonly #abort = (): void => this.#aborting.abort(this.#outer.reason)

  #heard(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes < this.#patience.bytes) return
    this.#bytes = 0
    this.#leftMs = this.#patience.ms
  }

  /** Only waiting counts: a disk may take as long as it takes. */
  async #waitFor<Result>(work: Promise<Result>): Promise<Result> {
    const from = performance.now()
    const slow = new BrokenOff(`${this.url} is too slow`)
    const timer = setTimeout(() => this.#aborting.abort(slow), Math.max(this.#leftMs, 0))
    try {
      return await work
    } catch (error) {
      throw networkError(this.url, error)
    } finally {
      clearTimeout(timer)
      this.#leftMs -= performance.now() - from
    }
  }
}

/** What fetch throws of the network is a TypeError with a cause; anything else is not its. */
function networkError(url: string, error: unknown): unknown {
  if (!(error instanceof TypeError) || error.cause === undefined) return error
  const { code = '', message } = error.cause as NodeJS.ErrnoException
  const reason = code === '' || code.startsWith('UND_ERR_') ? message : code
  return new BrokenOff(`${url} can't be fetched (${reason.split('\n')[0]})`)
}
