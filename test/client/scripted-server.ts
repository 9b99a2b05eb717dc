/** A server that plays a script: what it does with each request, so that a client meets every fault. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import '../support/after-tests.ts'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Act = (asked: Asked, response: ServerResponse) => void | Promise<void>

export interface ScriptedServer {
  readonly address: string
  /** Since the last `play`. */
  readonly asked: readonly Asked[]
  /** How many requests there were at the same time at most, since then. */
  readonly atOnce: number
  /** Each act answers one request, the last one all that follow. */
  play(...acts: readonly [Act, ...Act[]]): void
  close(): Promise<void>
}

export async function startScripted(): Promise<ScriptedServer> {
  let script: readonly Act[] = []
  let asked: Asked[] = []
  let [running, atOnce] = [0, 0]
  const server = createServer(async (request, response) => {
    running++
    atOnce = Math.max(atOnce, running)
    response.on('close', () => {
      running--
    })
    const act = script[Math.min(asked.length, script.length - 1)]!
    const { method = '', url: path = '', headers } = request
    const one = { method, path, headers, body: '' }
    asked.push(one)
    one.body = await text(request)
    await act(one, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get asked() {
      return asked
    },
    get atOnce() {
      return atOnce
    },
    play(...acts) {
      ;[script, asked, atOnce] = [acts, [], running]
    },
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Of a response under /v1. */
const rateLimit = { 'x-ratelimit-limit': '200', 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '1800000000' }

export const answer =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Act =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...rateLimit, ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

/** In form A, or in B, which leaves the status out. */
export const fail = (status: number, code: string, headers: Readonly<Record<string, string>> = {}, form = 'A'): Act => {
  const error = { code, message: `sent: ${code}` }
  return answer(status, { error: form === 'A' ? { ...error, status } : error }, headers)
}

/** Closes the connection without a response. */
export const hangUp: Act = (_, response) => {
  response.destroy()
}

/** Sends so many bytes of a body, and closes the connection. */
export const breakOff =
  (body: string | Buffer, bytes: number, headers: Readonly<Record<string, string>> = {}): Act =>
  (_, response) => {
    response.writeHead(200, { 'content-length': String(Buffer.byteLength(body)), ...rateLimit, ...headers })
    response.write(Buffer.from(body).subarray(0, bytes), () => response.destroy())
  }

/** Sends so many bytes of a body, and nothing more. */
export const stall =
  (body: string, bytes: number): Act =>
  (_, response) => {
    response.writeHead(200, rateLimit)
    response.flushHeaders()
    if (bytes > 0) response.write(body.slice(0, bytes))
  }

/** Never answers. */
export const ignore: Act = () => {}
