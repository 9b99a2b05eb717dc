/**
 * A line between a server and its Redis that is cut by what is said on it: the connection on which the awaited words come ends.
 *
 *   server ─ words ─▶ line ─ words ─▶ Redis        unheard: before Redis has the words
 *          ◀─ answer ─    ◀─ answer ─              unanswered: before the server has the answer
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

interface Cut {
  readonly words: string
  readonly when: 'unheard' | 'unanswered' | 'answered'
  /** No other connection is taken either, until `mend`. */
  readonly staysAway: boolean
}

export class CuttingLine {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #cut: Cut | undefined
  #isAway = false

  private constructor(toPort: number) {
    this.#server = createServer((near) => {
      if (this.#isAway) return near.destroy()
      const far = connect({ port: toPort, host: '127.0.0.1' })
      for (const socket of [near, far]) this.#sockets.add(socket)
      far.on('data', (data) => near.write(data))
      near.on('data', (data) => this.#hand(data, near, far))
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        one.on('error', () => {})
        one.on('close', () => {
          other.destroy()
          this.#sockets.delete(one)
        })
      }
      return undefined
    })
  }

  static async open(toPort: number): Promise<CuttingLine> {
    const line = new CuttingLine(toPort)
    line.#server.listen(0, '127.0.0.1')
    await once(line.#server, 'listening')
    return line
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** At the next words like these, once. */
  cutAt(cut: Cut): void {
    this.#cut = cut
  }

  /** Whether it was cut. */
  get isCut(): boolean {
    return this.#cut === undefined
  }

  mend(): void {
    this.#isAway = false
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #hand(data: Buffer, near: Socket, far: Socket): void {
    const cut = this.#cut
    if (cut === undefined || !data.includes(cut.words)) {
      far.write(data)
      return
    }
    this.#cut = undefined
    this.#isAway = cut.staysAway
    const ended = cut.staysAway ? [...this.#sockets] : [near]
    const end = () => {
      for (const socket of ended) socket.destroy()
    }
    far.removeAllListeners('data')
    far.once('data', (answer) => (cut.when === 'answered' ? near.end(answer, end) : end()))
    if (cut.when === 'unheard') end()
    else far.write(data)
  }
}
