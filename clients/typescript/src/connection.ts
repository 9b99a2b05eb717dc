/** Sends requests to one server with one key, retries them, and remembers the quota and ETags. */
import { CardPricesError, errorOf, networkError, UnavailableError } from './errors.ts'
import { pause, Watch } from './watch.ts'

export interface CallOptions {
  /** If this signal is aborted, the call ends and throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** The most ms to wait for each response, and for each piece of a download. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined
}

export interface CardPricesOptions {
  /** The server's address, with or without `/v1` at its end. */
  readonly baseUrl: string
  readonly apiKey: string
  /** The `timeoutMs` of calls that have none. Default 10,000. */
  readonly timeoutMs?: number | undefined
  /** The most ms that the pauses before a request's retries may take together. Default 30,000. */
  readonly maxWaitMs?: number | undefined
}

export interface RateLimit {
  /** The requests a day. */
  readonly limit: number
  readonly remaining: number
  /** When the next UTC day begins, in Unix seconds. */
  readonly reset: number
}

interface Sent extends CallOptions {
  /** A JSON text. With it, the request is a POST. */
  readonly body?: string
  /** The ETag for `If-None-Match`. */
  readonly tag?: string | undefined
  /** The ETag for `If-Match`. */
  readonly required?: string | undefined
}

/** A body with the ETag of its data. */
export interface Tagged<Body> {
  readonly body: Body
  readonly tag: string | null
}

/**
 * The ms for which Deno may keep an idle connection, because the server closes connections that are idle for 8 s or
 * longer. Deno's default is 90 s. Node.js keeps idle connections for 4 s.
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
  /** The last ETag of any response. */
  version: string | undefined
  /** The last ETag of each path, the oldest first. At most `tagsMax` are remembered. */
  readonly #tags = new Map<string, string>()
  readonly #server: string
  readonly #key: string
  readonly #timeoutMs: number
  readonly #maxWaitMs: number

  constructor({ baseUrl, apiKey, timeoutMs = 10_000, maxWaitMs = 30_000 }: CardPricesOptions) {
    // No message quotes a value, because a caller may have swapped the key and the address.
    if (!/^https?:\/\/[^/@?#\s]+(\/[^@?#\s]*)?$/.test(baseUrl)) {
      throw new TypeError('baseUrl must be an http or https address')
    }
    if (!/^[!-~]+$/.test(apiKey ?? '')) throw new TypeError('apiKey must be the text of a key')
    this.#server = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')
    this.#key = apiKey
    this.#timeoutMs = timeoutMs
    this.#maxWaitMs = maxWaitMs
  }

  /** Returns the JSON of a response with 200. */
  async json<Body>(path: string, sent: Sent = {}): Promise<Body> {
    return (await this.tagged<Body>(path, sent)).body
  }

  /** Returns the JSON, or with `isText` the text, of a response with 200, and its ETag. */
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

  /**
   * True if the path's data has another ETag than `tag`. By default, `tag` is the last ETag seen at the path. Also true
   * if no ETag is known.
   */
  changed(path: string, { tag = this.#tags.get(path), ...options }: Sent): Promise<boolean> {
    return this.#retried(options, () =>
      this.#watch(options).wait(async (ended) => {
        const response = await this.#fetch(path, { ...options, tag }, ended)
        await response.body?.cancel()
        return tag === undefined || (response.status !== 304 && response.headers.get('ETag') !== tag)
      }),
    )
  }

  /** Yields the text of a response with 200 as it arrives. Retries until it begins. Then a broken connection throws. */
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
      // If the caller stops early, this ends the download.
      watch.end()
      await reader.cancel().catch(() => {})
    }
  }

  #watch({ signal, timeoutMs = this.#timeoutMs }: CallOptions): Watch {
    return new Watch(signal, timeoutMs, this.#server)
  }

  /** Returns a response with 2xx or 304. Throws an error for any other status. */
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
    // An error's text may quote the request, and with it the key.
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

/**
 * True if a request is retried after this error. A 429 without `Retry-After` is not retried. A timeout is not retried,
 * because the server would do the same work again.
 */
function isRetried(error: unknown): error is CardPricesError {
  if (!(error instanceof CardPricesError)) return false
  if (error.status === 429) return error.retryAfter !== undefined
  return error instanceof UnavailableError || error.code === 'CONNECTION_FAILED'
}

/** Returns the seconds to wait. @param value a number of seconds, or a date, which proxies may send */
function secondsOf(value: string | null): number | undefined {
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
