/**
 * One GET and its response, by default over a connection of its own. The head must come within 15 s, and then every 64 KiB of the body:
 * what brings less while it is waited for is broken off, be it silent or slow.
 *
 * By node:http, since the fetch of Node.js 22 (undici 6) has two faults that end or hang a process: it asserts that no body
 * waits to be read when a server closes the connection, and a read of a response that was aborted meanwhile never settles.
 * A stream of node:http rejects the read when it is destroyed, whatever the server does.
 */
import { type Agent, type ClientRequest, get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { get as getSecurely } from 'node:https'
import { IndexError } from '../format.ts'

/** What came to nothing on its way; what had come is good, and the rest can be asked for. */
export class BrokenOff extends IndexError {}

/** So much must come while it is waited for so long. */
export interface Patience {
  readonly ms: number
  readonly bytes: number
  /** What was broken off goes on after so long. */
  readonly resumeMs: number
}

export interface Connection {
  /** Whose connections are kept from one exchange to the next; by default each has its own. */
  readonly agent?: Agent
  /** The address without what is secret in it. */
  readonly shown?: string
}

export class Exchange {
  /** As messages show it. */
  readonly url: string
  readonly #request: ClientRequest
  readonly #outer: AbortSignal
  readonly #patience: Patience
  #response!: IncomingMessage
  /** Why it was ended before its time. */
  #reason: unknown
  #leftMs: number
  #bytes = 0

  private constructor(
    url: string,
    headers: Record<string, string>,
    outer: AbortSignal,
    patience: Patience,
    { agent, shown = url }: Connection,
  ) {
    this.url = shown
    this.#outer = outer
    this.#patience = patience
    this.#leftMs = patience.ms
    this.#request = (url.startsWith('https:') ? getSecurely : get)(url, { headers, agent: agent ?? false })
    outer.addEventListener('abort', this.#abort)
  }

  static async begin(
    url: string,
    headers: Record<string, string>,
    outer: AbortSignal,
    patience: Patience,
    connection: Connection = {},
  ): Promise<Exchange> {
    outer.throwIfAborted()
    const exchange = new Exchange(url, headers, outer, patience, connection)
    try {
      exchange.#response = await exchange.#waitFor(exchange.#head())
      exchange.#heard(patience.bytes)
      return exchange
    } catch (error) {
      exchange.end()
      throw error
    }
  }

  get status(): number {
    return this.#response.statusCode!
  }

  get headers(): IncomingHttpHeaders {
    return this.#response.headers
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    const pieces = this.#response[Symbol.asyncIterator]()
    for (;;) {
      const { done, value } = await this.#waitFor(pieces.next())
      if (done) return
      this.#heard(value.length)
      yield value
    }
  }

  end(): void {
    this.#outer.removeEventListener('abort', this.#abort)
    this.#request.destroy()
  }

  #head(): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      this.#request.on('response', resolve).on('error', reject)
      // An answer that changes the protocol is neither.
      this.#request.on('close', () => reject(new Error('the connection ended without an answer')))
    })
  }

  readonly #abort = (): void => this.#breakOff(this.#outer.reason)

  #breakOff(reason: unknown): void {
    this.#reason = reason
    // The stream that is read, if there is one: then it is the read that rejects.
    ;(this.#response ?? this.#request).destroy(reason as Error)
  }

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
    const timer = setTimeout(() => this.#breakOff(slow), Math.max(this.#leftMs, 0))
    try {
      return await work
    } catch (error) {
      if (this.#reason !== undefined) throw this.#reason
      const { code, message } = error as NodeJS.ErrnoException
      throw new BrokenOff(`${this.url} can't be fetched (${code ?? message})`)
    } finally {
      clearTimeout(timer)
      this.#leftMs -= performance.now() - from
    }
  }
}
