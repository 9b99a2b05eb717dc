/**
 * A connection of Node.js's HTTP server that handles one request at a time. By itself, Node.js parses all bytes that it has read
 * (64 KB, some 2,000 requests) and starts every request in them, even if the client reads no responses.
 *
 *   client ─▶ socket's buffer ─ one head, or part of a body ─▶ parser ─▶ handler ─▶ response
 *                 ▲                                                                    │
 *                 └──────── resumes when the kernel has taken the response ◀───────────┘
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const endOfHead = '\r\n\r\n'

/**
 * Connections that have already read their next request. One resumes in each turn of the event loop, so others get a
 * turn.
 */
const waiting: Connection[] = []

function resumeNext(): void {
  waiting.shift()!.resume()
  if (waiting.length > 0) setImmediate(resumeNext)
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
   * @param socket with its parser attached
   * @param stallMs a client that reads nothing of a response for this long is disconnected
   */
  constructor(socket: Socket, stallMs: number) {
    this.#socket = socket
    this.#stallMs = stallMs
    const [parse] = socket.listeners('data')
    this.#parse = parse as (bytes: Buffer) => void
    // By itself, the parser reads bytes from the handle. As soon as a listener for data is added, Node.js passes the
    // bytes to listeners instead.
    socket.on('data', (bytes: Buffer) => this.#take(bytes))
    socket.off('data', this.#parse)
    socket.once('close', () => clearTimeout(this.#stalled))
  }

  /** Call it for each response before its handler runs. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request
    this.#unanswered++
    response.on('drain', () => this.awaitReader())
    response.once('close', () => {
      this.#unanswered--
      this.awaitReader()
      if (this.#socket.readableLength === 0) return
      this.#isWaiting = true
      if (waiting.push(this) === 1) setImmediate(resumeNext)
    })
  }

  resume(): void {
    this.#isWaiting = false
    if (this.#mayParse) this.#socket.resume()
  }

  /**
   * Whether the next head, or more of the present request's body, may be parsed. Node.js pauses a body that nobody
   * reads.
   */
  get #mayParse(): boolean {
    // A handler that reads a body may resume the socket itself.
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

  /**
   * Call it when a response has given the client something to take, and when the client has taken some of it. The time
   * in which it must take more begins again. Work on a response takes no time of its client.
   */
  awaitReader(): void {
    clearTimeout(this.#stalled)
    if (this.#unanswered === 0 || this.#socket.destroyed) return
    this.#stalled = setTimeout(() => {
      if (this.#socket.writableLength > 0) this.#socket.destroy()
    }, this.#stallMs)
  }
}
