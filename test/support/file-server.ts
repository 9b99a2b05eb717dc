/**
 * A static web server over a folder, with tags, dates and ranges as real ones have them, which counts what it sends and fails
 * as ordered.
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

/** A question, and what would be answered. */
export interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The whole file. */
  readonly content: Buffer
  /** How often the path was asked for before. */
  readonly before: number
  readonly response: ServerResponse
  /** Answers as it should be, or with other bytes, as if they lay there. */
  answer(content?: Buffer): void
}

/** Answers in its own way, or calls `answer`. */
export type Fault = (asked: Asked) => unknown

interface TlsPair {
  readonly cert: Buffer
  readonly key: Buffer
}

export class FileServer {
  readonly #folder: string
  readonly #server: Server
  readonly #isSecure: boolean
  /** All that was asked for, in order. */
  readonly asked: Pick<Asked, 'path' | 'headers'>[] = []
  /** Bytes of bodies that were sent, by path. */
  readonly sent = new Map<string, number>()
  /** By path; `''` for all others. */
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

  /** @param tls the PEM texts, for https */
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

  /** Forgets all requests, and ends all failures. */
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

/** Answers with the content, a rest of it, or 304. @param reported the headers, of which the tag decides; none without */
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

// How it can fail.

export const replying =
  (code: number, text: string | Buffer = '', headers: Readonly<Record<string, string>> = {}): Fault =>
  ({ response }) =>
    response.writeHead(code, headers).end(text)

export const status = (code: number): Fault => replying(code, '<h1>no</h1>'.repeat(100))

export const leadingTo = (location: string): Fault => replying(302, '', { Location: location })

export const breaking: Fault = ({ response }) => response.destroy()

/** The first `times` answers end after so many bytes of the body. */
export const cutOff =
  (bytes: number, times = 1): Fault =>
  ({ before, response, answer }) => {
    if (before >= times) return answer()
    const { end } = response
    response.end = ((content: Buffer) => {
      response.end = end
      // The client gets these bytes and then nothing.
      response.write(content.subarray(0, bytes), () => response.destroy())
      return response
    }) as typeof response.end
    answer()
  }

/** As many bytes as there are, some of which are others. */
export const wrongBytes: Fault = ({ content, answer }) => {
  const other = Buffer.from(content)
  other[other.length >> 1]! ^= 1
  answer(other)
}

/** The file is of another length. */
export const wrongLength =
  (more: number): Fault =>
  ({ content, answer }) =>
    answer(more > 0 ? Buffer.concat([content, Buffer.alloc(more)]) : content.subarray(0, more))

/** Knows no ranges, and tells none. */
export const withoutRanges: Fault = ({ content, response }) =>
  response.writeHead(200, { 'Content-Length': content.length }).end(content)

/** Says that it sends a range, and sends another. */
export const otherRange: Fault = ({ headers, content, response, answer }) => {
  if (headers.range === undefined) return answer()
  const range = `bytes 0-${content.length - 1}/${content.length}`
  response.writeHead(206, { 'Content-Range': range, 'Content-Length': content.length }).end(content)
}

/** Never tells a length, and never ends. */
export const endless: Fault = async ({ response }) => {
  response.writeHead(200)
  const piece = Buffer.alloc(64 * 1024, 'x')
  for (; !response.destroyed; await pause(1)) response.write(piece)
}

/** A header after the other. */
export const endlessHeaders: Fault = async ({ response }) => {
  const socket = response.socket!
  socket.write('HTTP/1.1 200 OK\r\n')
  for (let i = 0; !socket.destroyed; i++, await pause(5)) socket.write(`X-${i}: ${'y'.repeat(20)}\r\n`)
}

/** A byte now and then, behind those that come at once. */
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
