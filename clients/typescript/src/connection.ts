/** One server and one key: sends requests, retries them, and remembers quota and ETags. */
import { CardPricesError, errorOf, networkError, UnavailableError } from './errors.ts'
import { pause, Watch } from './watch.ts'

export interface CallOptions {
  /** Ends the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** For each response, and for each piece of a download: 10,000. */
  readonly timeoutMs?: number | undefined
}

export interface CardPricesOptions {
  /** With or without `/v1` at its end. */
  readonly baseUrl: string
  readonly apiKey: string
  /** The default of calls: 10,000. */
  readonly timeoutMs?: number | undefined
  /** The sum of all pauses before retries of a request: 30,000. */
  readonly maxWaitMs?: number | undefined
}

export interface RateLimit {
  /** Requests a day. */
  readonly limit: number
  readonly remaining: number
  /** When the next UTC day begins, in Unix seconds. */
  readonly reset: number
}

interface Sent extends CallOptions {
  /** Sent as JSON, by POST. */
  readonly body?: string
  /** For `If-None-Match`. */
  readonly tag?: string | undefined
  /** For `If-Match`. */
  readonly required?: string | undefined
}

/** A body with the ETag of its data. */
export interface Tagged<Body> {
  readonly body: Body
  readonly tag: string | null
}

/**
 * The server closes connections that are idle for 8 s or longer. Node.js keeps them for 4 s, Deno for 90 s unless its client is
 * given another time.
 */
const idleMsMax = 7000
const { Deno: deno } = globalThis as {
  readonly Deno?: { createHttpClient?(options: { poolIdleTimeout: number }): unknown }
}
const pool =
  deno?.createHttpClient === undefined ? {} : { client: deno.createHttpClient({ poolIdleTimeout: idleMsMax }) }

const retriesMax = 4
const firstPauseMs = 250
const tagsMax = 100

export class Connection {
  rateLimit: RateLimit | undefined
  /** The ETag of the last response that had one. */
  version: string | undefined
  /** By path, the ETag last seen there; the oldest is forgotten first. */
  readonly #tags = new Map<string, string>()
  readonly #server: string
  readonly #key: string
  readonly #timeoutMs: number
  readonly #maxWaitMs: number

  constructor({ baseUrl, apiKey, timeoutMs = 10_000, maxWaitMs = 30_000 }: CardPricesOptions) {
    // Neither message quotes its value, because the two may be swapped.
    if (!/^https?:\/\/[^/@?#\s]+(\/[^@?#\s]*)?$/.test(baseUrl)) {
      throw new TypeError('baseUrl must be an http or https address')
    }
    if (!/^[!-~]+$/.test(apiKey ?? '')) throw new TypeError('apiKey must be the text of a key')
    this.#server = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')
    this.#key = apiKey
    this.#timeoutMs = timeoutMs
    this.#maxWaitMs = maxWaitMs
  }

  /** The JSON of a 200. */
  async json<Body>(path: string, sent: Sent = {}): Promise<Body> {
    return (await this.tagged<Body>(path, sent)).body
  }

  /** The JSON of a 200, or its text, with its ETag. */
  tagged<Body>(path: string, sent: Sent, isText = false): Promise<Tagged<Body>> {
    return this.#retried(sent, () =>
      this.#watch(sent).wait(async (ended) => {
        const response = await this.#fetch(path, sent, ended)
        const text = await response.text()
        try {
          return { body: isText ? text : JSON.parse(text), tag: response.headers.get('ETag') }
        } catch {
          throw networkError('INVALID_RESPONSE', `what ${this.#server} sent is not JSON`)
        }
      }),
    )
  }

  /** Whether the data at the path has another ETag than the one given, or else last seen there. */
  changed(path: string, { tag = this.#tags.get(path), ...options }: Sent): Promise<boolean> {
    return this.#retried(options, () =>
      this.#watch(options).wait(async (ended) => {
        const response = await this.#fetch(path, { ...options, tag }, ended)
        await response.body?.cancel()
        return tag === undefined || (response.status !== 304 && response.headers.get('ETag') !== tag)
      }),
    )
  }

  /** The text of a 200 as it arrives. Retried until it begins; from then on a broken connection throws. */
  async *pieces(path: string, sent: Sent): AsyncGenerator<string, void, undefined> {
    const { reader, watch } = await this.#retried(sent, async () => {
      const watch = this.#watch(sent)
      const response = await watch.wait((ended) => this.#fetch(path, sent, ended))
      return { reader: response.body!.getReader(), watch }
    })
    const decoder = new TextDecoder()
    try {
      for (;;) {
        const { done, value } = await watch.wait(() => reader.read())
        if (done) return
        yield decoder.decode(value, { stream: true })
      }
    } finally {
      // Ends the download if the caller stops early.
      watch.end()
      await reader.cancel().catch(() => {})
    }
  }

  #watch({ signal, timeoutMs = this.#timeoutMs }: CallOptions): Watch {
    return new Watch(signal, timeoutMs, this.#server)
  }

  /** Returns a 200 or 304; throws all others. */
  async #fetch(path: string, { body, tag, required }: Sent, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { 'X-API-Key': this.#key }
    if (body !== undefined) headers['Content-Type'] = 'application/json'
    if (tag !== undefined) headers['If-None-Match'] = tag
    if (required !== undefined) headers['If-Match'] = required
    const response = await fetch(this.#server + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      body: body ?? null,
      signal,
      // A redirect would send the key to another server.
      redirect: 'manual',
      ...pool,
    })
    this.#remember(path, response.headers)
    if (response.ok || response.status === 304) return response
    // A server or a proxy may quote the request.
    const text = (await response.text()).replaceAll(this.#key, '…')
    throw errorOf(response.status, text, secondsOf(response.headers.get('Retry-After')))
  }

  async #retried<Result>({ signal }: CallOptions, attempt: () => Promise<Result>): Promise<Result> {
    let waitMsLeft = this.#maxWaitMs
    for (let retry = 0; ; retry++) {
      try {
        return await attempt()
      } catch (error) {
        if (retry === retriesMax || !isRetried(error)) throw error
        const ownPauseMs = firstPauseMs * 2 ** retry * (0.5 + Math.random() / 2)
        const pauseMs = error.retryAfter === undefined ? ownPauseMs : error.retryAfter * 1000
        if (pauseMs > waitMsLeft) throw error
        waitMsLeft -= pauseMs
        await pause(pauseMs, signal)
      }
    }
  }

  #remember(path: string, headers: Headers): void {
    const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((name) => headers.get(`X-RateLimit-${name}`))
    if (limit && remaining && reset) {
      this.rateLimit = { limit: Number(limit), remaining: Number(remaining), reset: Number(reset) }
    }
    const tag = headers.get('ETag')
    if (tag === null) return
    this.version = tag
    this.#tags.delete(path)
    this.#tags.set(path, tag)
    if (this.#tags.size > tagsMax) this.#tags.delete(this.#tags.keys().next().value!)
  }
}

/** A 429 without `Retry-After` is not retried, nor is a timeout, because the server would do the same work again. */
function isRetried(error: unknown): error is CardPricesError {
  if (!(error instanceof CardPricesError)) return false
  if (error.status === 429) return error.retryAfter !== undefined
  return error instanceof UnavailableError || error.code === 'CONNECTION_FAILED'
}

/** @param value seconds, or a date as proxies send it */
function secondsOf(value: string | null): number | undefined {
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
