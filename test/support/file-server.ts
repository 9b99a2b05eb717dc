/**
 * A static web server over a folder. It supports tags, dates and ranges, counts the bytes that it sends, and fails as a
 * test orders.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** A request, and the file that it asks for. */
export interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The whole file; empty if the file is missing. */
  readonly content: Buffer
  /** The number of earlier requests for this path. */
  readonly before: number
  readonly response: ServerResponse
  /** Sends the correct response, or the correct response for a file with other bytes. */
  answer(content?: Buffer): void
}

/** Sends a faulty response, or calls `answer`. */
export type Fault = (asked: Asked) => unknown

interface TlsPair {
  readonly cert: Buffer
  readonly key: Buffer
}

export class FileServer {
  readonly #folder: string
  readonly #server: Server
  readonly #isSecure: boolean
  /** All requests, in order. */
  readonly asked: Pick<Asked, 'path' | 'headers'>[] = []
  /** The number of body bytes sent, by path. */
  readonly sent = new Map<string, number>()
  /** The fault of each path. The fault under `''` holds for all other paths. */
  failures: Record<string, Fault> = {}

  private constructor(folder: string, tls: TlsPair | undefined) {
    this.#folder = folder
    const listener: RequestListener = (request, response) => {
      const path = request.url!.slice(1)
      const before = this.timesAsked(path)
      this.asked.push({ path, headers: request.headers })
      const file = join(this.#folder, path)
      const isThere = existsSync(file) && statSync(file).isFile()
      const content = isThere ? readFileSync(file) : Buffer.alloc(0)
      const { headers } = request
      response.on('error', () => undefined)
      this.#count(path, response)
      const answer = (other = content) => {
        if (isThere) answerWith(response, headers, other, tagsOf(other, statSync(file).mtime))
        else response.writeHead(404).end('nothing here')
      }
      const fault = this.failures[path] ?? this.failures['']
      if (fault === undefined) answer()
      else fault({ path, headers, content, before, response, answer })
    }
    this.#isSecure = tls !== undefined
    this.#server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener)
  }

  /** @param tls the certificate and key in PEM, for https */
  static async start(folder: string, tls?: TlsPair): Promise<FileServer> {
    const server = new FileServer(folder, tls)
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    server.#server.unref()
    return server
  }

  get url(): string {
    return `http${this.#isSecure ? 's' : ''}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  timesAsked(path: string): number {
    return this.asked.filter((one) => one.path === path).length
  }

  bytesSent(): number {
    return [...this.sent.values()].reduce((sum, bytes) => sum + bytes, 0)
  }

  /** Forgets all requests, and removes all faults. */
  beginAnew(): void {
    this.asked.length = 0
    this.sent.clear()
    this.failures = {}
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #count(path: string, response: ServerResponse): void {
    const write = response.write.bind(response) as (piece: Uint8Array, written?: () => void) => boolean
    const end = response.end.bind(response)
    const count = (piece: unknown) => {
      const bytes = typeof piece === 'string' || piece instanceof Uint8Array ? Buffer.byteLength(piece) : 0
      this.sent.set(path, (this.sent.get(path) ?? 0) + bytes)
    }
    response.write = ((piece: Uint8Array, written?: () => void) => {
      count(piece)
      return write(piece, written)
    }) as typeof response.write
    response.end = ((piece?: Uint8Array) => {
      count(piece)
      return piece === undefined ? end() : end(piece)
    }) as typeof response.end
  }
}

const tagsOf = (content: Buffer, changed: Date) => ({
  ETag: `"${changed.getTime()}-${content.length}"`,
  'Last-Modified': changed.toUTCString(),
  'Accept-Ranges': 'bytes',
})

/**
 * Sends the content, the rest of it, or a 304.
 * @param reported the headers. Their ETag decides between these responses; without one, there is no 304
 */
export function answerWith(
  response: ServerResponse,
  asked: IncomingHttpHeaders,
  content: Buffer,
  reported: Readonly<Record<string, string>>,
): void {
  const tag = reported['ETag']
  if (tag !== undefined && asked['if-none-match'] === tag) return void response.writeHead(304, reported).end()
  const from = Number(/^bytes=(\d+)-$/.exec(asked.range ?? '')?.[1] ?? 0)
  const isSame = asked['if-range'] === undefined || asked['if-range'] === tag
  if (from === 0 || !isSame) {
    return void response.writeHead(200, { ...reported, 'Content-Length': content.length }).end(content)
  }
  if (from >= content.length) return void response.writeHead(416).end()
  const range = `bytes ${from}-${content.length - 1}/${content.length}`
  const rest = content.subarray(from)
  response.writeHead(206, { ...reported, 'Content-Range': range, 'Content-Length': rest.length }).end(rest)
}

// Faults

export const replying =
  (code: number, text: string | Buffer = '', headers: Readonly<Record<string, string>> = {}): Fault =>
  ({ response }) =>
    response.writeHead(code, headers).end(text)

export const status = (code: number): Fault => replying(code, '<h1>no</h1>'.repeat(100))

export const leadingTo = (location: string): Fault => replying(302, '', { Location: location })

export const breaking: Fault = ({ response }) => response.destroy()

/** Closes the connection after this many bytes of the body, in the first `times` responses. */
export const cutOff =
  (bytes: number, times = 1): Fault =>
  ({ before, response, answer }) => {
    if (before >= times) return answer()
    const { end } = response
    response.end = ((content: Buffer) => {
      response.end = end
      // The client gets these bytes, and then the connection is closed.
      response.write(content.subarray(0, bytes), () => response.destroy())
      return response
    }) as typeof response.end
    answer()
  }

/** Sends a file of the right length with one wrong bit. */
export const wrongBytes: Fault = ({ content, answer }) => {
  const other = Buffer.from(content)
  other[other.length >> 1]! ^= 1
  answer(other)
}

/** Sends a file that is `more` bytes too long, or too short if `more` is negative. */
export const wrongLength =
  (more: number): Fault =>
  ({ content, answer }) =>
    answer(more > 0 ? Buffer.concat([content, Buffer.alloc(more)]) : content.subarray(0, more))

/** Ignores ranges, and sends neither tag nor date. */
export const withoutRanges: Fault = ({ content, response }) =>
  response.writeHead(200, { 'Content-Length': content.length }).end(content)

/** Answers a request for a range with the whole file, and says so in Content-Range. */
export const otherRange: Fault = ({ headers, content, response, answer }) => {
  if (headers.range === undefined) return answer()
  const range = `bytes 0-${content.length - 1}/${content.length}`
  response.writeHead(206, { 'Content-Range': range, 'Content-Length': content.length }).end(content)
}

/** Sends no length, and never ends. */
export const endless: Fault = async ({ response }) => {
  response.writeHead(200)
  const piece = Buffer.alloc(64 * 1024, 'x')
  for (; !response.destroyed; await pause(1)) response.write(piece)
}

/** Sends headers without end. */
export const endlessHeaders: Fault = async ({ response }) => {
  const socket = response.socket!
  socket.write('HTTP/1.1 200 OK\r\n')
  for (let i = 0; !socket.destroyed; i++, await pause(5)) socket.write(`X-${i}: ${'y'.repeat(20)}\r\n`)
}

/** Sends the first `start` bytes at once, and then a byte every 20 ms. */
export const tricklingFrom =
  (start: number): Fault =>
  async ({ content, response }) => {
    response.writeHead(200, { 'Content-Length': content.length }).write(content.subarray(0, start))
    for (let at = start; at < content.length && !response.destroyed; at++, await pause(20)) {
      response.write(content.subarray(at, at + 1))
    }
  }

export const trickling = tricklingFrom(1)

export const silent: Fault = () => undefined

export const encoded: Fault = ({ content, response }) =>
  response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(content)
