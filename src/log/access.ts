/**
 * The access log of a thread: a JSON line for each request that the setting chooses. Lines are put together while requests
 * are answered, and written in pieces between the turns of the event loop; on standard error they stand among the log's.
 *
 *   request ─ chosen? ─▶ │ the piece that grows │ ─ full, or a moment old ─▶ LogOutput ─▶ standard error
 *
 * A share of requests is chosen by how many are passed over until the next one, drawn when one is logged: that is as
 * drawing for each, and the others cost a subtraction.
 */
import { withoutKey } from '../api/query.ts'
import { accessLogMs, loggedAddressCharsMax, logPieceBytesMax } from '../limits.ts'
import type { Settings } from '../settings.ts'
import { LogOutput } from './output.ts'
import { withoutKeys } from './secrets.ts'

export interface AccessLine {
  readonly route: string
  readonly method: string
  /** HTTP's number. */
  readonly status: number
  readonly us: number
  /** Of the body. */
  readonly bytes: number
  /** Its number; null where no key was found to be good. */
  readonly account: number | null
  /** As it was sent; told where queries are. */
  readonly query: string
}

export interface AccessLogOptions {
  readonly chosen: Exclude<Settings['ACCESS_LOG'], 'off'>
  /** Lines tell the query, with no key in it. */
  readonly tellsQueries: boolean
  /** Has the number of lines that were dropped since the last call, when it can be told where they are missed. */
  readonly tellDropped: (lines: number) => void
}

/** Whatever else is sent for a method is the caller's own text. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])
const notAscii = /[^\x20-\x7e]/g

export class AccessLog {
  readonly tellsQueries: boolean
  /** Of requests, undefined: errors alone. */
  readonly #share: number | undefined
  readonly #output: LogOutput
  /** Requests that are not chosen before the next one. */
  #passedOver: number
  #piece = ''
  #lines = 0
  /** Pieces that are full: each with its number of lines. */
  #full: [piece: string, lines: number][] = []
  #soon: NodeJS.Immediate | undefined
  #later: NodeJS.Timeout | undefined
  /** What the wall clock is ahead of the steady one, read anew with each piece. */
  #aheadMs = 0

  constructor({ chosen, tellsQueries, tellDropped }: AccessLogOptions) {
    this.tellsQueries = tellsQueries
    this.#share = chosen === 'errors' ? undefined : chosen
    this.#passedOver = this.#draw()
    this.#output = new LogOutput(tellDropped)
    process.on('exit', () => this.#write())
  }

  /** Lines that were dropped until now. */
  get dropped(): number {
    return this.#output.droppedInAll
  }

  /** Whether the request that is answered with the status is one to be logged. To be asked once. */
  takes(status: number): boolean {
    if (this.#share === undefined) return status >= 500 || status === 429
    if (this.#passedOver > 0) {
      this.#passedOver--
      return false
    }
    this.#passedOver = this.#draw()
    return true
  }

  /** @param now as performance.now() has it */
  add(now: number, { route, method, status, us, bytes, account, query }: AccessLine): void {
    if (this.#lines === 0) {
      this.#aheadMs = Date.now() - performance.now()
      this.#later ??= setTimeout(() => this.#write(), accessLogMs).unref()
    }
    const time = Math.round(now + this.#aheadMs)
    const told = this.tellsQueries ? `,"query":${JSON.stringify(shown(query))}` : ''
    const line =
      `{"time":${time},"route":"${route}","method":"${methods.has(method) ? method : 'other'}","status":${status},` +
      `"us":${us},"bytes":${bytes},"account":${account}${told}}\n`
    if (this.#piece.length + line.length > logPieceBytesMax) this.#endPiece()
    this.#piece += line
    this.#lines++
  }

  #endPiece(): void {
    this.#full.push([this.#piece, this.#lines])
    this.#piece = ''
    this.#lines = 0
    this.#soon ??= setImmediate(() => this.#writeFull())
  }

  /** All but the piece that grows. */
  #writeFull(): void {
    this.#soon = undefined
    for (const [piece, lines] of this.#full) this.#output.write(piece, lines)
    this.#full = []
    // Nobody waits for this, so what could not be written before is tried again.
    this.#output.flush()
  }

  #write(): void {
    clearTimeout(this.#later)
    this.#later = undefined
    if (this.#lines > 0) this.#endPiece()
    this.#writeFull()
  }

  #draw(): number {
    if (this.#share === undefined || this.#share === 1) return 0
    return Math.floor(Math.log(1 - Math.random()) / Math.log1p(-this.#share))
  }
}

/** In the characters that a piece counts. */
function shown(query: string): string {
  return withoutKeys(withoutKey(query)).slice(0, loggedAddressCharsMax).replaceAll(notAscii, '?')
}
