/**
 * A TCP line to another machine that can fail. As on a net that loses packets, what is sent while it is cut one way is not
 * gone: it arrives when the line is whole again, if late, and even if who sent it has left.
 *
 *   near ──▶ line ──▶ far       unheard: nothing gets this way
 *        ◀──      ◀──           unanswered: nothing gets this way
 *                               slow: each way takes longer
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export type LineState = 'whole' | 'unheard' | 'unanswered' | 'slow'

/** Each way of a slow line: an answer takes twice as long, as between continents. */
const slowMs = 75

interface Pair {
  readonly near: Socket
  readonly far: Socket
}

export class Line {
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  #state: LineState = 'whole'
  #toPort: number

  private constructor(toPort: number) {
    this.#toPort = toPort
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (near) => {
      const far = connect({ port: this.#toPort, host: '127.0.0.1', allowHalfOpen: true })
      const pair = { near, far }
      this.#pairs.add(pair)
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        const arrives = this.#inOrder()
        from.on('data', (data) => arrives(() => to.write(data)))
        from.on('end', () => arrives(() => to.end()))
        from.on('error', () => arrives(() => to.destroy()))
        // A killed end closes. If the near one is killed, the far one hears of it when the line is whole.
        from.on('close', () => arrives(() => to.destroy()))
      }
      far.on('close', () => this.#pairs.delete(pair))
      this.#apply(pair)
    })
  }

  static async open(toPort: number): Promise<Line> {
    const line = new Line(toPort)
    line.#server.listen(0, '127.0.0.1')
    await once(line.#server, 'listening')
    return line
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  set(state: LineState): void {
    this.#state = state
    for (const pair of this.#pairs) this.#apply(pair)
  }

  /** Leads to another port, as when an address is moved to another machine. */
  lead(toPort: number): void {
    this.#toPort = toPort
    this.#cut()
  }

  close(): void {
    this.#server.close()
    this.#cut()
  }

  #cut(): void {
    for (const { near, far } of this.#pairs) {
      near.destroy()
      far.destroy()
    }
  }

  /** One way of a connection: what is sent arrives in order, and late if the line was slow when it was sent. */
  #inOrder(): (arrive: () => unknown) => void {
    let last: Promise<unknown> = Promise.resolve()
    return (arrive) => {
      const due = performance.now() + (this.#state === 'slow' ? slowMs : 0)
      last = last.then(async () => {
        const ms = due - performance.now()
        if (ms > 0) await pause(ms)
        arrive()
      })
    }
  }

  #apply({ near, far }: Pair): void {
    if (this.#state === 'unheard') near.pause()
    else near.resume()
    if (this.#state === 'unanswered') far.pause()
    else far.resume()
  }
}
