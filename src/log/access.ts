/**
 * The access log of a thread: a JSON line for each request that ACCESS_LOG selects. Lines are joined while requests are answered,
 * and written between turns of the event loop. They go to stderr, among the lines of the log.
 *
 *   request ─ selected? ─▶ │ growing chunk │ ─ full, or 0.1 s old ─▶ LogOutput ─▶ stderr
 *
 * For a share of requests, the log draws how many requests to skip before the next one. That is equivalent to drawing for each
 * request, and a skipped request costs one subtraction.
 */
import { accessLogMs, logChunkBytesMax, loggedAddressCharsMax } from '../limits.ts'
import type { Settings } from '../settings.ts'
import { LogOutput } from './output.ts'
import { withoutKeys } from './secrets.ts'

export interface AccessLine {
  readonly route: string
  readonly method: string
  readonly status: number
  readonly us: number
  /** Of the body. */
  readonly bytes: number
  /** The account's number; null if the request had no valid key. */
  readonly account: number | null
  /** As it was sent. */
  readonly query: string
}

export interface AccessLogOptions {
  readonly selects: Exclude<Settings['ACCESS_LOG'], 'off'>
  /** Removes parameters that may hold a key from a query. If absent, lines have no query. */
  readonly loggedQuery?: ((query: string) => string) | undefined
  /** Called with the number of dropped lines when there is room to report them. */
  readonly onDropped: (lines: number) => void
}

/** Other methods are the caller's own text, and logged as `other`. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])
const notAscii = /[^\x20-\x7e]/g

export class AccessLog {
  /** The share of requests; undefined for errors alone. */
  readonly #share: number | undefined
  readonly #loggedQuery: ((query: string) => string) | undefined
  readonly #output: LogOutput
  /** Requests to skip before the next one. */
  #skips: number
  #chunk = ''
  #full: string[] = []
  #immediate: NodeJS.Immediate | undefined
  #timer: NodeJS.Timeout | undefined
  /** The wall clock less the monotonic one, read for each chunk. */
  #clockOffsetMs = 0

  constructor({ selects, loggedQuery, onDropped }: AccessLogOptions) {
    this.#share = selects === 'errors' ? undefined : selects
    this.#loggedQuery = loggedQuery
    this.#skips = this.#drawSkips()
    this.#output = new LogOutput(onDropped)
    process.on('exit', () => this.#flush())
  }

  /** Lines dropped until now. */
  get dropped(): number {
    return this.#output.dropped
  }

  get logsQueries(): boolean {
    return this.#loggedQuery !== undefined
  }

  /** Whether to log the request that is answered with this status. Call it once for each request. */
  selects(status: number): boolean {
    if (this.#share === undefined) return status >= 500 || status === 429
    if (this.#skips > 0) {
      this.#skips--
      return false
    }
    this.#skips = this.#drawSkips()
    return true
  }

  /** @param now by performance.now() */
  add(now: number, { route, method, status, us, bytes, account, query }: AccessLine): void {
    if (this.#chunk === '') {
      this.#clockOffsetMs = Date.now() - performance.now()
      this.#timer ??= setTimeout(() => this.#flush(), accessLogMs).unref()
    }
    const time = Math.round(now + this.#clockOffsetMs)
    const end = this.#loggedQuery === undefined ? '' : `,"query":${JSON.stringify(inAscii(this.#loggedQuery(query)))}`
    const line =
      `{"time":${time},"route":"${route}","method":"${methods.has(method) ? method : 'other'}","status":${status},` +
      `"us":${us},"bytes":${bytes},"account":${account}${end}}\n`
    if (this.#chunk.length + line.length > logChunkBytesMax) this.#endChunk()
    this.#chunk += line
  }

  #endChunk(): void {
    this.#full.push(this.#chunk)
    this.#chunk = ''
    this.#immediate ??= setImmediate(() => this.#writeFull())
  }

  #writeFull(): void {
    this.#immediate = undefined
    for (const chunk of this.#full) this.#output.write(chunk)
    this.#full = []
    // No request waits for this, so it also retries earlier lines.
    this.#output.flush()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#chunk !== '') this.#endChunk()
    this.#writeFull()
  }

  #drawSkips(): number {
    if (this.#share === undefined || this.#share === 1) return 0
    return Math.floor(Math.log(1 - Math.random()) / Math.log1p(-this.#share))
  }
}

/** A chunk is measured in characters, so each must be one byte. */
const inAscii = (query: string): string => withoutKeys(query).slice(0, loggedAddressCharsMax).replaceAll(notAscii, '?')
