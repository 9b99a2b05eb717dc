/**
 * A TCP line to another machine that can fail. As on a net that loses packets, what is sent while it is cut one way is not
 * gone: it arrives when the line is whole again, if late, and even if who sent it has left.
 *
 *   near ──▶ line ──▶ far       unheard: nothing gets this way
 *        ◀──      ◀──           unanswered: nothing gets this way
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export type LineState = 'whole' | 'unheard' | 'unanswered'

interface Pair {
  readonly near: Socket
  readonly far: Socket
}

export class Line {
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  #state: LineState = 'whole'

  private constructor(toPort: number) {
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (near) => {
      const far = connect({ port: toPort, host: '127.0.0.1', allowHalfOpen: true })
      const pair = { near, far }
      this.#pairs.add(pair)
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        from.on('data', (data) => to.write(data))
        from.on('end', () => to.end())
        from.on('error', () => to.destroy())
        // A killed end closes. If the near one is killed, the far one hears of it when the line is whole.
        from.on('close', () => to.destroy())
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

  close(): void {
    this.#server.close()
    for (const { near, far } of this.#pairs) {
      near.destroy()
      far.destroy()
    }
  }

  #apply({ near, far }: Pair): void {
    if (this.#state === 'unheard') near.pause()
    else near.resume()
    if (this.#state === 'unanswered') far.pause()
    else far.resume()
  }
}
