/** Clients that send requests and read no response, and what their server holds and does meanwhile. */
import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import type { Service } from '../support/service.ts'

export interface Unread {
  /** `http(s)://HOST:PORT` that is sent to. */
  readonly address: string
  /** Requests of a connection, the first of them the first, again and again. */
  readonly requests: readonly string[]
  readonly connections: number
  readonly times: number
}

export interface SeenUnread {
  /** More memory than before, while all connections stood still. */
  readonly peakMb: number
  /** More than before, 5 s after the connections were closed or sooner. */
  readonly leftMb: number
  /** Of `/healthz` on PORT. */
  readonly slowestHealthMs: number
  /** Of others who asked at the same address, and how many they were. */
  readonly slowestOtherMs: number
  readonly others: number
}

/** Memory counts as given back when no more than this is left: what a heap has grown to does not shrink at once. */
export const leftMbMax = 32
/** How often others ask, and how long it must hold no more than before. */
const usualPace = { askMs: 20, settledMs: 1500 }
/** Of npm test. */
export const quickPace = { askMs: 100, settledMs: 700 }
const closedMs = 5000

export const textOf = (path: string, more = '', method = 'GET'): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

export const reported = ({ peakMb, leftMb, slowestHealthMs, slowestOtherMs, others }: SeenUnread): string =>
  `${peakMb.toFixed(1)} MB more, ${leftMb.toFixed(1)} MB left, /healthz at most ${slowestHealthMs.toFixed(0)} ms, ` +
  `${others} others at most ${slowestOtherMs.toFixed(0)} ms`

const residentMb = ({ child }: Service): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))![1]) / 1024

/** The status. Any certificate is good. */
export function ask(address: string, path: string): Promise<number> {
  const send = address.startsWith('https:') ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const request = send(address + path, { agent: false, rejectUnauthorized: false }, (response) => {
      response.resume().once('error', reject)
      response.once('end', () => resolve(response.statusCode!))
    })
    request.once('error', reject).end()
  })
}

/** Connections that read nothing, but for a TLS handshake. */
async function connectUnread({ address, connections }: Unread): Promise<readonly Socket[]> {
  const { protocol, hostname, port } = new URL(address)
  const isTls = protocol === 'https:'
  const to = { host: hostname, port: Number(port), rejectUnauthorized: false }
  const open = () =>
    new Promise<Socket>((resolve, reject) => {
      const socket: Socket = isTls ? connectTls(to) : connect(to)
      socket.once('error', reject).once(isTls ? 'secureConnect' : 'connect', () => {
        // Connections that the server closes are closed here, too.
        socket.off('error', reject).on('error', () => {})
        resolve(socket.pause())
      })
    })
  return Promise.all(Array.from({ length: connections }, open))
}

function writeAll(sockets: readonly Socket[], { requests, times }: Unread): void {
  for (const [i, socket] of sockets.entries()) socket.write(requests[i % requests.length]!.repeat(times))
}

/** Sends what the server takes and reads nothing. */
export async function sendUnread(unread: Unread): Promise<readonly Socket[]> {
  const sockets = await connectUnread(unread)
  writeAll(sockets, unread)
  return sockets
}

/** Until the server holds no more than it has held for a while. @param otherPath what others ask for */
export async function standUnread(
  service: Service,
  unread: Unread,
  otherPath: string,
  { askMs, settledMs } = usualPace,
): Promise<SeenUnread> {
  for (let i = 0; i < 20; i++) await ask(unread.address, otherPath)
  const sockets = await connectUnread(unread)
  const before = residentMb(service)
  const seen = { peak: before, health: 0, other: 0, others: 0 }
  let lastHigher = performance.now()
  let done = false
  const askAgain = async (address: string, path: string, hear: (ms: number) => void) => {
    while (!done) {
      const from = performance.now()
      if ((await ask(address, path)) !== 200) throw new Error(`${path} was not answered 200`)
      hear(performance.now() - from)
      await pause(askMs)
    }
  }
  const watchMemory = async () => {
    while (!done) {
      const now = residentMb(service)
      if (now > seen.peak + 0.5) lastHigher = performance.now()
      seen.peak = Math.max(seen.peak, now)
      await pause(10)
    }
  }
  const watching = Promise.all([
    watchMemory(),
    askAgain(service.address, '/healthz', (ms) => {
      seen.health = Math.max(seen.health, ms)
    }),
    askAgain(unread.address, otherPath, (ms) => {
      seen.other = Math.max(seen.other, ms)
      seen.others++
    }),
  ])
  writeAll(sockets, unread)
  lastHigher = performance.now()
  while (performance.now() - lastHigher < settledMs) await Promise.race([pause(50), watching])
  done = true
  await watching
  for (const socket of sockets) socket.destroy()
  const end = performance.now() + closedMs
  while (residentMb(service) - before > leftMbMax && performance.now() < end) await pause(100)
  return {
    peakMb: seen.peak - before,
    leftMb: residentMb(service) - before,
    slowestHealthMs: seen.health,
    slowestOtherMs: seen.other,
    others: seen.others,
  }
}
