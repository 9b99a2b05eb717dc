/** The open connections of a thread. One that takes memory or time from the others is closed. */
import type { Logger } from 'pino'
import { closedLogMs, unsentBytesMax, unsentThreadBytesMax } from '../limits.ts'
import { Turn } from './turn.ts'
import type { UnsentBytes } from './unsent.ts'
import type { HttpResponse, TemplatedApp } from './uws.ts'

export class Connections {
  readonly #log: Logger
  /** One cell: how many are open. */
  readonly #open: Float64Array
  #unsentBytes: UnsentBytes | undefined
  readonly #turn = new Turn()
  #unread = 0
  #pipelined = 0
  #loggedAt = Number.NEGATIVE_INFINITY

  /** @param open a cell that is 0; given where others read it */
  constructor(log: Logger, open: Float64Array = new Float64Array(1)) {
    this.#log = log
    this.#open = open
  }

  /** @param unsentBytes of the responses that `closeExcess` is given */
  measureBy(unsentBytes: UnsentBytes): void {
    this.#unsentBytes = unsentBytes
  }

  /** Counts those of the app. */
  follow(app: TemplatedApp): void {
    const count: Parameters<TemplatedApp['filter']>[0] = (_, change) => {
      this.#open[0]! += Number(change)
    }
    app.filter(count)
  }

  /**
   * Closes the connection if its client leaves too much unread (more than a connection may, or more than its share of what
   * all may together), or pipelines so much that others wait. Returns whether it did; then the response must not be touched.
   * @param res of a request that is not answered yet
   */
  closeExcess(res: HttpResponse): boolean {
    const open = this.#open[0]!
    const unsent = this.#unsentBytes!(res)
    if (unsent > 0 && unsent > Math.min(unsentBytesMax, unsentThreadBytesMax / open)) this.#unread++
    else if (this.#turn.isOverlong(open)) this.#pipelined++
    else return false
    res.close()
    this.#tell()
    return true
  }

  #tell(): void {
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
