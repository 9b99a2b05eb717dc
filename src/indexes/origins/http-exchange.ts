/**
 * One GET and its response, by default over a connection of its own. It aborts a silent or slow transfer: by default
 * the response must begin within 15 s, and each 64 KiB of the body must arrive within another 15 s.
 *
 * It uses node:http, because the fetch of Node.js 22 (undici 6) has two bugs. An assertion in fetch fails, and ends the
 * process, if a server closes the connection while a body is unread. A read of an aborted response may never settle. A
 * destroyed stream of node:http always rejects the read.
 */
import { type Agent, type ClientRequest, get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { get as getSecurely } from 'node:https'
import { IndexError } from '../format.ts'

/** The transfer was interrupted. The bytes received are valid, and the rest can be requested. */
export class Interrupted extends IndexError {}

/** The lowest rate of a transfer: `bytes` in `ms`. */
export interface MinimumRate {
  readonly ms: number
  readonly bytes: number
  /** The pause before an interrupted transfer is resumed. */
  readonly resumeMs: number
}

export interface Request {
  readonly url: string
  /** The address without its secrets, for messages; by default `url`. */
  readonly shown?: string
  readonly headers: Readonly<Record<string, string>>
  /** Reuses connections; by default each exchange has its own. */
  readonly agent?: Agent
  readonly minimumRate: MinimumRate
}

/** Removes the user info from an address. Returns the header that sends the user info, if there was any. */
export function takeUserInfo(url: URL): { readonly authorization?: string } {
  const userInfo = [url.username, url.password].map(decodeURIComponent).join(':')
  url.username = ''
  url.password = ''
  return userInfo === ':' ? {} : { authorization: `Basic ${Buffer.from(userInfo).toString('base64')}` }
}

export class Exchange {
  /** The address as messages show it. */
  readonly url: string
  readonly #request: ClientRequest
  readonly #outer: AbortSignal
  readonly #minimumRate: MinimumRate
  #response!: IncomingMessage
  /** The reason why the exchange was aborted. */
  #reason: unknown
  #leftMs: number
  #bytes = 0

  private constructor({ url, shown = url, headers, agent, minimumRate }: Request, outer: AbortSignal) {
    this.url = shown
    this.#outer = outer
    this.#minimumRate = minimumRate
    this.#leftMs = minimumRate.ms
    this.#request = (url.startsWith('https:') ? getSecurely : get)(url, { headers, agent: agent ?? false })
    outer.addEventListener('abort', this.#abort)
  }

  static async begin(request: Request, outer: AbortSignal): Promise<Exchange> {
    outer.throwIfAborted()
    const exchange = new Exchange(request, outer)
    try {
      exchange.#response = await exchange.#waitFor(exchange.#head())
      exchange.#received(request.minimumRate.bytes)
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
      this.#received(value.length)
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
      // A response that changes the protocol emits neither `response` nor `error`.
      this.#request.on('close', () => reject(new Error('the connection ended without an answer')))
    })
  }

  readonly #abort = (): void => this.#abortWith(this.#outer.reason)

  #abortWith(reason: unknown): void {
    this.#reason = reason
    // Destroys the response if there is one, so that the read rejects.
    ;(this.#response ?? this.#request).destroy(reason as Error)
  }

  #received(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes < this.#minimumRate.bytes) return
    this.#bytes = 0
    this.#leftMs = this.#minimumRate.ms
  }

  /**
   * Waits for `work` within the time that is left. Only this waiting uses up that time, because the caller's disk may
   * be slow.
   */
  async #waitFor<Result>(work: Promise<Result>): Promise<Result> {
    const from = performance.now()
    const slow = new Interrupted(`${this.url} is too slow`)
    const timer = setTimeout(() => this.#abortWith(slow), Math.max(this.#leftMs, 0))
    try {
      return await work
    } catch (error) {
      if (this.#reason !== undefined) throw this.#reason
      const { code, message } = error as NodeJS.ErrnoException
      throw new Interrupted(`${this.url} can't be fetched (${code ?? message})`)
    } finally {
      clearTimeout(timer)
      this.#leftMs -= performance.now() - from
    }
  }
}
