/**
 * Bounds a turn of a thread's event loop, so that clients who pipeline do not keep all others waiting.
 *
 * The library answers every request that it has received on a connection, up to 512 KB of them, before it turns to the next
 * connection. Fifty clients that each send 2,000 requests at once take a second so:
 *
 *   0 ms ──── connection 1 ──── 20 ms ──── connection 2 ──── 40 ms ──── … ──── 1,000 ms ──── GET /healthz
 *
 * When a turn has taken `turnCpuMsMax`, a request closes its connection, which drops the requests pipelined behind it. As
 * long as the turn goes on, another request does so every `sliceMs`. The library does not say which connection a request
 * belongs to, but in such a turn nearly all requests belong to long pipelines. No connection is closed if it is the only
 * one, or if requests are not several times as many as connections: then nobody waits, or nobody pipelines.
 *
 * A turn is measured in the thread's CPU time: how long a thread waits for a processor says nothing about its clients. The
 * kernel counts it by the tick, so a slice is measured by the clock.
 */
import { turnCpuMsMax } from '../limits.ts'

const sliceMs = 0.3
const requestsBeforeLooks = 128
const requestsPerLook = 8
const requestsPerConnectionMin = 4

export class Turn {
  /** Since the first look in this turn, or since the end of one. */
  #requests = 0
  #nextLook = requestsBeforeLooks
  #startCpuMs: number | undefined
  #closedAt = 0
  readonly #end = () => {
    this.#requests = 0
    this.#nextLook = requestsBeforeLooks
    this.#startCpuMs = undefined
  }

  /**
   * Whether the connection of this request must be closed. To be called once for each request.
   * @param connections open in this thread
   */
  isOverlong(connections: number): boolean {
    return ++this.#requests >= this.#nextLook && this.#look(connections)
  }

  #look(connections: number): boolean {
    const { user, system } = process.threadCpuUsage()
    const cpuMs = (user + system) / 1000
    if (this.#startCpuMs === undefined) {
      // Earlier turns may have had some of the requests so far. Immediates run after the last connection of a turn.
      this.#requests = 0
      this.#startCpuMs = cpuMs
      setImmediate(this.#end)
    }
    this.#nextLook = this.#requests + requestsPerLook
    if (cpuMs < this.#startCpuMs + turnCpuMsMax || connections === 1) return false
    if (this.#requests < requestsPerConnectionMin * connections) return false
    const now = performance.now()
    if (now < this.#closedAt + sliceMs) return false
    this.#closedAt = now
    return true
  }
}
