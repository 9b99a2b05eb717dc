/**
 * The access log of a thread: a line for each request that ACCESS_LOG selects. These lines go to stderr, among the
 * lines of the log.
 */
import { loggedAddressCharsMax } from '../limits.ts'
import type { Settings } from '../settings.ts'
import { LogOutput } from './log.ts'
import { withoutKeys } from './secrets.ts'
import type { LineFormat } from './text-lines.ts'

export interface AccessLine {
  readonly route: string
  readonly method: string
  readonly status: number
  readonly us: number
  /** The length of the body. */
  readonly bytes: number
  /** The account's number; null if the request had no valid key. */
  readonly account: number | null
  /** The query as it was sent. */
  readonly query: string
}

export interface AccessLogOptions {
  readonly selects: Exclude<Settings['ACCESS_LOG'], 'off'>
  /** Removes parameters that may hold a key from a query. If absent, lines have no query. */
  readonly loggedQuery?: ((query: string) => string) | undefined
  /** By default lines are JSON. */
  readonly format?: LineFormat
  /** Called with the number of dropped lines when there is room to report them. */
  readonly onDropped: (lines: number) => void
}

/** Any other method is a text of the caller's choice, and is logged as `other`. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])
const notAscii = /[^\x20-\x7e]/g

export class AccessLog {
  /** The share of requests that are logged. Undefined if only errors are logged. */
  readonly #share: number | undefined
  readonly #loggedQuery: ((query: string) => string) | undefined
  readonly #format: LineFormat
  readonly #output: LogOutput

  constructor({ selects, loggedQuery, onDropped, format = (json) => json }: AccessLogOptions) {
    this.#format = format
    this.#share = selects === 'errors' ? undefined : selects
    this.#loggedQuery = loggedQuery
    this.#output = new LogOutput(onDropped)
  }

  /** The number of lines dropped until now. */
  get dropped(): number {
    return this.#output.dropped
  }

  get logsQueries(): boolean {
    return this.#loggedQuery !== undefined
  }

  /** True if a request with this status must be logged. */
  selects(status: number): boolean {
    if (this.#share === undefined) return status >= 500 || status === 429
    return Math.random() < this.#share
  }

  add({ route, method, status, us, bytes, account, query }: AccessLine): void {
    const end = this.#loggedQuery === undefined ? '' : `,"query":${JSON.stringify(inAscii(this.#loggedQuery(query)))}`
    const json =
      `{"time":${Date.now()},"route":"${route}","method":"${methods.has(method) ? method : 'other'}","status":${status},` +
      `"us":${us},"bytes":${bytes},"account":${account}${end}}\n`
    this.#output.add(this.#format(json))
  }
}

/** Every character must be one byte, because LogOutput measures a chunk in characters. */
const inAscii = (query: string): string => withoutKeys(query).slice(0, loggedAddressCharsMax).replaceAll(notAscii, '?')
