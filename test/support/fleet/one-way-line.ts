/**
 * A line between a server and its Redis that can be cut one way. As on a net that loses packets, what is sent meanwhile is not
 * gone: it arrives when the line is whole again, if late, and even if who sent it has left.
 *
 *   server ──▶ line ──▶ Redis       unheard: nothing gets this way
 *          ◀──      ◀──             unanswered: nothing gets this way
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export type LineState = 'whole' | 'unheard' | 'unanswered'

export class OneWayLine {
  readonly #server: Server
  readonly #pairs = new Set<{ near: Socket; far: Socket }>()
  #state: LineState = 'whole'

  private constructor(toPort: number) {
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (near) => {
      const pair = { near, far: connect({ port: toPort, host: '127.0.0.1', allowHalfOpen: true }) }
      this.#pairs.add(pair)
      this.#join(pair.near, pair.far)
      this.#join(pair.far, pair.near)
      pair.far.on('close', () => this.#pairs.delete(pair))
      this.#apply(pair)
    })
  }

  static async open(toPort: number): Promise<OneWayLine> {
    const line = new OneWayLine(toPort)
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

  #join(from: Socket, to: Socket): void {
    from.on('data', (data) => to.write(data))
    from.on('end', () => to.end())
    from.on('error', () => to.destroy())
    // A killed Redis closes; a killed server's end is sent when the line is whole.
    from.on('close', () => to.destroy())
  }

  #apply({ near, far }: { near: Socket; far: Socket }): void {
    if (this.#state === 'unheard') near.pause()
    else near.resume()
    if (this.#state === 'unanswered') far.pause()
    else far.resume()
  }
}
