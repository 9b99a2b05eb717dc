/**
 * The open connections of a thread, and how many it may have. A connection is closed if it takes too much memory or
 * time from others.
 */
import type { Logger } from 'pino'
import { unsentBytesMax, unsentThreadBytesMax } from '../../limits.ts'
import { Turn } from './turn.ts'
import type { UnsentBytes } from './unsent.ts'
import type { HttpResponse, TemplatedApp } from './uws.ts'

/** The least time between two lines of the log about closed connections, or about a port that the thread left. */
export const closedLogMs = 60_000

export class Connections {
  readonly #log: Logger
  /** An array with one number: how many connections are open. */
  readonly #open: Float64Array
  #unsentBytes: UnsentBytes | undefined
  readonly #turn = new Turn()
  /** How many connections the thread may have. More can be open if they were accepted before this was lowered. */
  max = Number.POSITIVE_INFINITY
  /** Called when the thread has at least `max` connections. */
  onFull: () => void = () => undefined
  #unread = 0
  #pipelined = 0
  #loggedAt = Number.NEGATIVE_INFINITY

  /** @param open an array with one number, 0 at first. It is in shared memory if metrics read it */
  constructor(log: Logger, open: Float64Array = new Float64Array(1)) {
    this.#log = log
    this.#open = open
  }

  /** @param unsentBytes measures the unsent bytes of a response's connection */
  measureBy(unsentBytes: UnsentBytes): void {
    this.#unsentBytes = unsentBytes
  }

  /** Counts the app's connections. */
  follow(app: TemplatedApp): void {
    const count: Parameters<TemplatedApp['filter']>[0] = (_, change) => {
      this.#open[0]! += Number(change)
      if (this.isFull) this.onFull()
    }
    app.filter(count)
  }

  get open(): number {
    return this.#open[0]!
  }

  get isFull(): boolean {
    return this.open >= this.max
  }

  /**
   * Closes the connection if its client leaves too much unread, or if it pipelines so much that others wait. Too much
   * is more than the limit of a connection, or more than its share of the thread's limit. If this returns true, the
   * response must not be used.
   * @param res the response of a request, before anything is written
   */
  closeExcess(res: HttpResponse): boolean {
    const open = this.#open[0]!
    const unsent = this.#unsentBytes!(res)
    if (unsent > Math.min(unsentBytesMax, unsentThreadBytesMax / open)) this.#unread++
    else if (this.#turn.isOverlong(open)) this.#pipelined++
    else return false
    res.close()
    this.#logClosed()
    return true
  }

  #logClosed(): void {
    const now = performance.now()
    if (now - this.#loggedAt < closedLogMs) return
    this.#log.warn(
      { unread: this.#unread, pipelined: this.#pipelined },
      'closed connections of clients that leave responses unread or pipeline too many requests',
    )
    this.#unread = 0
    this.#pipelined = 0
    this.#loggedAt = now
  }
}
