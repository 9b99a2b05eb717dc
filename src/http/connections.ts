/** The open connections of a thread. One whose client asks on without reading is closed before its answers fill the memory. */
import type { Logger } from 'pino'
import { unreadLogMs, unsentBytesMax, unsentThreadBytesMax } from '../limits.ts'
import type { UnsentBytes } from './unsent.ts'
import type { HttpResponse, TemplatedApp } from './uws.ts'

export class Connections {
  readonly #log: Logger
  /** One cell: how many are open. */
  readonly #open: Float64Array
  #unsentBytes: UnsentBytes | undefined
  #closed = 0
  #loggedAt = Number.NEGATIVE_INFINITY

  /** @param open a cell that is 0; given where others read it */
  constructor(log: Logger, open: Float64Array = new Float64Array(1)) {
    this.#log = log
    this.#open = open
  }

  /** @param unsentBytes of the responses that `closeUnread` is given */
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
   * Closes the connection if it has left too much unread: more than a connection may, or more than its share of what all
   * may together. Returns whether it did; then the response must not be touched.
   * @param res of a request that is not answered yet
   */
  closeUnread(res: HttpResponse): boolean {
    const unsent = this.#unsentBytes!(res)
    if (unsent === 0 || unsent <= Math.min(unsentBytesMax, unsentThreadBytesMax / this.#open[0]!)) return false
    res.close()
    this.#closed++
    const now = performance.now()
    if (now - this.#loggedAt >= unreadLogMs) {
      this.#log.warn({ connections: this.#closed }, 'closed connections whose clients ask on without reading answers')
      this.#closed = 0
      this.#loggedAt = now
    }
    return true
  }
}
