/** A raw connection. A test writes any bytes to it, and it parses the responses by the framing of HTTP/1.1. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { connect as connectTls, TLSSocket } from 'node:tls'

export interface WireAnswer {
  readonly status: number
  /** By name in lower case. If a name occurs twice, this has the last value. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Expected {
  /** True for the response to a HEAD, which has no body although it may have a length. */
  readonly head: boolean
  readonly settle: (answer: WireAnswer | undefined) => void
}

export class Wire {
  readonly #socket: Socket
  #received: Buffer = Buffer.alloc(0)
  readonly #expected: Expected[] = []
  #ended = false
  #usedAt = Date.now()

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (data) => {
      this.#usedAt = Date.now()
      this.#received = this.#received.length === 0 ? data : Buffer.concat([this.#received, data])
      this.#settle()
    })
    socket.on('error', () => this.#end())
    socket.on('end', () => this.#end())
    socket.on('close', () => this.#end())
  }

  /** Rejects if the connection is refused. @param isTls any certificate is accepted */
  static open(port: number, isTls = false): Promise<Wire> {
    return new Promise((resolve, reject) => {
      const to = { port, host: '127.0.0.1', allowHalfOpen: false }
      const socket = isTls ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to)
      socket.once('error', reject)
      socket.once(isTls ? 'secureConnect' : 'connect', () => {
        socket.off('error', reject)
        resolve(new Wire(socket))
      })
    })
  }

  /** The common name in the server's certificate. */
  get certificateName(): string {
    assert.ok(this.#socket instanceof TLSSocket)
    return this.#socket.getPeerCertificate().subject.CN as string
  }

  get ended(): boolean {
    return this.#ended
  }

  /** When bytes last arrived, or else when the connection was opened, in ms since 1970. */
  get usedAt(): number {
    return this.#usedAt
  }

  /** The bytes received that belong to no expected response. */
  get surplus(): string {
    return this.#received.toString('latin1')
  }

  write(text: string): void {
    this.#socket.write(text, 'latin1')
  }

  /** The next response after those that are already expected, without 1xx; undefined if the connection ends first. */
  answer(head = false): Promise<WireAnswer | undefined> {
    return new Promise((settle) => {
      this.#expected.push({ head, settle })
      this.#settle()
    })
  }

  ask(text: string): Promise<WireAnswer | undefined> {
    this.write(text)
    return this.answer(text.startsWith('HEAD '))
  }

  close(): void {
    this.#socket.destroy()
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#settle()
  }

  #settle(): void {
    while (this.#expected.length > 0) {
      const found = framed(this.#received, this.#expected[0]!.head, this.#ended)
      if (found === undefined) break
      this.#received = this.#received.subarray(found.bytes)
      if (found.answer.status >= 200) this.#expected.shift()!.settle(found.answer)
    }
    if (this.#ended) for (const { settle } of this.#expected.splice(0)) settle(undefined)
  }
}

/**
 * Sends the request `times` times at once.
 * @returns how many responses had each status. Rejects if the connection ends before `expected` responses
 */
export async function pipelined(address: string, request: string, times: number, expected = times) {
  const wire = await Wire.open(Number(new URL(address).port))
  wire.write(request.repeat(times))
  const statuses = new Map<number, number>()
  for (let answers = 0; answers < expected; answers++) {
    const answer = await wire.answer()
    if (answer === undefined) throw new Error(`${answers} of ${expected} were answered`)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
  }
  wire.close()
  return statuses
}

export const requestText = (path: string, key?: string, more = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${key === undefined ? '' : `X-API-Key: ${key}\r\n`}${more}\r\n`

/**
 * Returns the first complete response and its length in bytes, or undefined if more bytes must arrive. Throws for
 * anything but a response.
 */
function framed(received: Buffer, head: boolean, ended: boolean): { answer: WireAnswer; bytes: number } | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [first, ...lines] = received.toString('latin1', 0, headEnd).split('\r\n')
  const match = /^HTTP\/1\.[01] (\d{3})( |$)/.exec(first!)
  if (match === null) throw new Error(`no answer begins with ${JSON.stringify(first)}`)
  const status = Number(match[1])
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const start = headEnd + 4
  const answered = (body: string, bytes: number) => ({ answer: { status, headers, body }, bytes })
  if (head || status < 200 || status === 204 || status === 304) return answered('', start)
  if (headers['transfer-encoding'] !== undefined) {
    const whole = chunked(received, start)
    return whole && answered(whole.body, whole.end)
  }
  const length = headers['content-length']
  if (length === undefined) return ended ? answered(received.toString('utf8', start), received.length) : undefined
  const end = start + Number(length)
  return received.length < end ? undefined : answered(received.toString('utf8', start, end), end)
}

function chunked(received: Buffer, start: number): { body: string; end: number } | undefined {
  const chunks: Buffer[] = []
  for (let at = start; ; ) {
    const lineEnd = received.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const bytes = Number.parseInt(received.toString('latin1', at, lineEnd), 16)
    const end = lineEnd + 2 + bytes + 2
    if (received.length < end) return undefined
    if (bytes === 0) return { body: Buffer.concat(chunks).toString('utf8'), end }
    chunks.push(received.subarray(lineEnd + 2, end - 2))
    at = end
  }
}
