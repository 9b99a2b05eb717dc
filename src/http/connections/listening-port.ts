/**
 * The listening socket of a thread. When the process has no file descriptor left, the library retries accepting without
 * a pause. That takes half a core, and the library logs nothing. So a thread stops listening while its share of the
 * descriptors is used up:
 *
 *   limit of the process:  open before the first caller │ reserved │ callers of thread 1 │ … of thread 2 │ …
 *                                                         └ for pages, metrics and files
 *
 * The kernel gives new connections to the threads that still listen. If no thread listens, the kernel refuses
 * connections, and a proxy asks another server.
 */

import type { Logger } from 'pino'
import { descriptorsForCallers, descriptorsMax } from '../../platform/descriptors.ts'
import type { Connections } from './connections.ts'
import { closedLogMs } from './connections.ts'
import { listenOn, type TemplatedApp, type us_listen_socket, uws } from './uws.ts'

/** How often a thread compares its connections with the limit of descriptors. */
export const descriptorsLookMs = 250

export interface Place {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** True if the port is not shared with other threads. */
  readonly exclusive: boolean
  /** How many descriptors the process had open before its first caller. If undefined, connections have no limit. */
  readonly opened?: number | undefined
  /** How many threads share the remaining descriptors. */
  readonly threads?: number
}

export class Port {
  readonly #connections: Connections
  readonly #log: Logger
  #app: TemplatedApp | undefined
  #place: Place | undefined
  #socket: us_listen_socket | undefined
  #looking: NodeJS.Timeout | undefined
  #hasLeft = false
  #loggedAt = Number.NEGATIVE_INFINITY

  constructor(connections: Connections, log: Logger) {
    this.#connections = connections
    this.#log = log
    connections.onFull = () => this.#pause()
  }

  /** @returns the port; undefined if it is in use, or `leave` was called before */
  async listen(app: TemplatedApp, place: Place): Promise<number | undefined> {
    this.#app = app
    this.#place = place
    if (place.opened !== undefined) this.#readLimit()
    await this.#open()
    if (this.#socket === undefined) return undefined
    const port = uws().us_socket_local_port(this.#socket)
    this.#place = { ...place, port }
    if (place.opened !== undefined) this.#looking = setInterval(() => this.#look(), descriptorsLookMs).unref()
    return port
  }

  /** Stops accepting connections for good. */
  leave(): void {
    this.#hasLeft = true
    clearInterval(this.#looking)
    this.#close()
  }

  async #open(): Promise<void> {
    // Listening again after `leave` would keep the thread from ending.
    if (this.#hasLeft) return
    const { host, port, exclusive } = this.#place!
    this.#socket = (await listenOn(this.#app!, host, port, exclusive)) || undefined
    if (this.#hasLeft) this.#close()
  }

  #close(): void {
    if (this.#socket !== undefined) uws().us_listen_socket_close(this.#socket)
    this.#socket = undefined
  }

  #pause(): void {
    if (this.#socket === undefined) return
    this.#close()
    this.#warn(
      'no new connections are accepted: callers have all descriptors. Raise their limit: LimitNOFILE= in the unit, or ulimit -n',
    )
  }

  #look(): void {
    this.#readLimit()
    if (this.#connections.isFull) this.#pause()
    else if (this.#socket === undefined) this.#return()
  }

  async #return(): Promise<void> {
    await this.#open()
    if (this.#socket === undefined && !this.#hasLeft)
      this.#warn('no new connections are accepted: another program has taken the port')
  }

  /** Reads the limit of descriptors, which may change while the server runs. */
  #readLimit(): void {
    const { opened = 0, threads = 1 } = this.#place!
    try {
      const callers = descriptorsForCallers(descriptorsMax('self') - opened)
      this.#connections.max = Math.max(1, Math.floor(callers / threads))
    } catch {
      // The last limit stays: the system does not report one, or no descriptor is left to read it.
    }
  }

  #warn(message: string): void {
    const now = performance.now()
    if (now - this.#loggedAt < closedLogMs) return
    this.#loggedAt = now
    this.#log.warn({ connections: this.#connections.open }, message)
  }
}
