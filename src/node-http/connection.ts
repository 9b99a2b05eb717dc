/**
 * A connection of a server of Node.js, whose requests are answered one after the other. Node.js alone parses all that it has
 * read (64 KB, some 2,000 requests) and starts every one of them before it looks whether the client reads.
 *
 *   client ─▶ socket's buffer ─ one head, or a piece of a body ─▶ parser ─▶ handler ─▶ response
 *                 ▲                                                                      │
 *                 └──────── goes on when the kernel has taken the response ◀─────────────┘
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const endOfHead = '\r\n\r\n'

/** Connections whose next request is here already. In each turn of the event loop one of them goes on: all others come first. */
const waiting: Connection[] = []

function letOneGoOn(): void {
  waiting.shift()!.goOn()
  if (waiting.length > 0) setImmediate(letOneGoOn)
}

export class Connection {
  readonly #socket: Socket
  readonly #stallMs: number
  readonly #parse: (bytes: Buffer) => void
  #request: IncomingMessage | undefined
  #unanswered = 0
  #isWaiting = false
  #stalled: NodeJS.Timeout | undefined

  /**
   * @param socket has its parser already
   * @param stallMs a client that takes nothing of a response for so long is disconnected
   */
  constructor(socket: Socket, stallMs: number) {
    this.#socket = socket
    this.#stallMs = stallMs
    const [parse] = socket.listeners('data')
    this.#parse = parse as (bytes: Buffer) => void
    // First ours: a listener that is added takes the bytes from the parser, which otherwise reads them itself.
    socket.on('data', (bytes: Buffer) => this.#take(bytes))
    socket.off('data', this.#parse)
    socket.once('close', () => clearTimeout(this.#stalled))
  }

  /** Called for each response before its handler is. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request
    this.#unanswered++
    this.#awaitProgress()
    response.on('drain', () => this.#awaitProgress())
    response.once('close', () => {
      this.#unanswered--
      this.#awaitProgress()
      if (this.#socket.readableLength === 0) return
      this.#isWaiting = true
      if (waiting.push(this) === 1) setImmediate(letOneGoOn)
    })
  }

  /** Its turn has come. */
  goOn(): void {
    this.#isWaiting = false
    if (this.#mayParse) this.#socket.resume()
  }

  /** The next head, or the body of the one unanswered request; Node.js pauses the socket where the handler does not read it. */
  get #mayParse(): boolean {
    // A handler that reads a body resumes the socket, too.
    if (this.#socket.destroyed || this.#isWaiting) return false
    return this.#unanswered === 0 || (this.#unanswered === 1 && !this.#request!.complete)
  }

  #take(bytes: Buffer): void {
    let rest = bytes
    while (rest.length > 0 && this.#mayParse) {
      const found = rest.indexOf(endOfHead)
      const end = found === -1 ? rest.length : found + endOfHead.length
      this.#parse(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
    if (rest.length === 0 || this.#socket.destroyed) return
    this.#socket.pause()
    this.#socket.unshift(rest)
  }

  #awaitProgress(): void {
    clearTimeout(this.#stalled)
    if (this.#unanswered === 0 || this.#socket.destroyed) return
    this.#stalled = setTimeout(() => this.#socket.destroy(), this.#stallMs)
  }
}
