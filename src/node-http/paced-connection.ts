/**
 * A connection of Node.js's HTTP server that handles one request at a time. Without this class, Node.js parses all
 * bytes that it has read (64 KB, some 2,000 requests). It starts every request in them, even if the client reads no
 * responses.
 *
 *   client ─▶ socket's buffer ─ one head, or part of a body ─▶ parser ─▶ handler ─▶ response
 *                 ▲                                                                    │
 *                 └──────── resumes when the kernel has taken the response ◀───────────┘
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const endOfHead = '\r\n\r\n'
const noBytes = Buffer.alloc(0)
/** The least number of bytes of a chunked body that are parsed at once, if that many have arrived. */
const chunksBytesMin = 1024

/** The number of CR and LF bytes at the start. */
function emptyLines(bytes: Uint8Array): number {
  let length = 0
  while (bytes[length] === 13 || bytes[length] === 10) length++
  return length
}

/**
 * Connections whose next request has already been read. One of them resumes in each turn of the event loop, so others
 * get a turn.
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
  /** How many bytes of the current request's body have not arrived. */
  #bodyLeft = 0
  /** True if a part of the next request's head has been parsed. `#tail` is the end of that part. */
  #isInHead = false
  #tail = ''
  /** True if the current request's body is chunked. Only the parser knows where it ends. */
  #isChunked = false
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
    // By default, the parser reads bytes from the handle. When a listener for `data` is added, Node.js passes the bytes
    // to the listeners instead.
    socket.on('data', (bytes: Buffer) => this.#take(bytes))
    socket.off('data', this.#parse)
    socket.once('close', () => clearTimeout(this.#stalled))
  }

  /** Call it for each response before its handler runs. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request
    this.#unanswered++
    this.#isInHead = false
    this.#bodyLeft = Number(request.headers['content-length'] ?? 0)
    this.#isChunked = request.headers['transfer-encoding'] !== undefined
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
   * True if the next head may be parsed, or more of the current request's body. Node.js pauses a body that nobody
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
      if (this.#bodyLeft > 0) rest = this.#parseBody(rest)
      else if (this.#isChunked && !this.#request!.complete) rest = this.#parseChunks(rest)
      else rest = this.#parseHead(rest)
    }
    if (rest.length === 0 || this.#socket.destroyed) return
    this.#socket.pause()
    this.#socket.unshift(rest)
  }

  /** A body of known length needs no other cut, so all bytes that have arrived are parsed at once. */
  #parseBody(bytes: Buffer): Buffer {
    const end = Math.min(this.#bodyLeft, bytes.length)
    this.#bodyLeft -= end
    this.#parse(bytes.subarray(0, end))
    return bytes.subarray(end)
  }

  /**
   * A chunked body ends with an empty line, so it is cut at empty lines. A few requests after it may be parsed with
   * it.
   */
  #parseChunks(bytes: Buffer): Buffer {
    const found = bytes.indexOf(endOfHead, chunksBytesMin)
    const end = found === -1 ? bytes.length : found + endOfHead.length
    this.#parse(bytes.subarray(0, end))
    return bytes.subarray(end)
  }

  #parseHead(bytes: Buffer): Buffer {
    // Empty lines before a head are skipped here, because the parser would ignore each of them in a call of its own.
    const start = this.#isInHead ? 0 : emptyLines(bytes)
    if (start === bytes.length) return noBytes
    const end = this.#endOfHead(bytes, start)
    const head = bytes.subarray(start, end)
    this.#tail = (this.#tail + head.toString('latin1', Math.max(head.length - 3, 0))).slice(-3)
    this.#isInHead = true
    this.#parse(head)
    if (!this.#isInHead) this.#tail = ''
    return bytes.subarray(end)
  }

  /** Where the head ends in these bytes. The empty line at its end may have begun in earlier bytes. */
  #endOfHead(bytes: Buffer, start: number): number {
    for (let known = endOfHead.length - 1; known > 0; known--) {
      const isKnown = this.#tail.endsWith(endOfHead.slice(0, known))
      const length = endOfHead.length - known
      if (isKnown && bytes.toString('latin1', start, start + length) === endOfHead.slice(known)) return start + length
    }
    const found = bytes.indexOf(endOfHead, start)
    return found === -1 ? bytes.length : found + endOfHead.length
  }

  /**
   * Call this when a response has written something for the client to read, and when the client has read some of it.
   * The time limit for further reading then starts again. The client's time does not run while the server works on the
   * response.
   */
  awaitReader(): void {
    clearTimeout(this.#stalled)
    if (this.#unanswered === 0 || this.#socket.destroyed) return
    this.#stalled = setTimeout(() => {
      if (this.#socket.writableLength > 0) this.#socket.destroy()
    }, this.#stallMs)
  }
}
