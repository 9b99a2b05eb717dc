/**
 * Bounds a turn of a thread's event loop, so that clients with long pipelines do not delay all others.
 *
 * The library handles all requests that it has received on a connection, up to 512 KB of them, before it reads the next
 * connection. Fifty clients that each send 2,000 requests at once take a second:
 *
 *   0 ms ──── connection 1 ──── 20 ms ──── connection 2 ──── 40 ms ──── … ──── 1,000 ms ──── GET /healthz
 *
 * When a turn has taken `turnCpuMsMax`, the connection of the current request is closed, which drops the requests
 * pipelined after it. While the turn continues, another connection is closed every `sliceMs`. The library does not
 * report which connection a request belongs to, but in such a turn nearly all requests belong to long pipelines. No
 * connection is closed if it is the only one, because nobody waits then. Nor is one closed in a turn with only a few
 * requests for each connection, because nobody pipelines then.
 *
 * A turn is measured in CPU time of the thread, because time spent waiting for a processor says nothing about clients.
 * The kernel counts CPU time in ticks, so a slice is measured by the clock.
 */
import { turnCpuMsMax } from '../../limits.ts'

const sliceMs = 0.3
const requestsBeforeLooks = 128
const requestsPerLook = 8
const requestsPerConnectionMin = 4

export class Turn {
  /** The number of requests since the first check of this turn; before that check, since the end of an earlier turn. */
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
   * True if the connection of this request must be closed. Call it once for each request.
   * @param connections how many connections are open in this thread
   */
  isOverlong(connections: number): boolean {
    return ++this.#requests >= this.#nextLook && this.#look(connections)
  }

  #look(connections: number): boolean {
    const { user, system } = process.threadCpuUsage()
    const cpuMs = (user + system) / 1000
    if (this.#startCpuMs === undefined) {
      // Some of the requests until now may belong to earlier turns, so counting starts here. An immediate runs after
      // the turn's last connection.
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
