/** Clients that send requests and read no response, and what their server holds and does meanwhile. */
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { requestText, Wire } from '../support/proxy-wire.ts'
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
  /** Requests of others meanwhile, of `/healthz` on PORT too, and the slowest. */
  readonly others: number
  readonly slowestMs: number
}

/** How often others ask, and how long it must hold no more than before. */
const usualPace = { askMs: 20, settledMs: 1500 }
/** Of npm test. */
export const quickPace = { askMs: 100, settledMs: 700 }

export const reported = ({ peakMb, others, slowestMs }: SeenUnread): string =>
  `${peakMb.toFixed(1)} MB more, ${others} others at most ${slowestMs.toFixed(0)} ms`

const residentMb = ({ child }: Service): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))![1]) / 1024

/** The status. Any certificate is good. */
export async function ask(address: string, path: string): Promise<number> {
  const { protocol, port } = new URL(address)
  const wire = await Wire.open(Number(port), protocol === 'https:')
  const answer = await wire.ask(requestText(path))
  wire.close()
  if (answer === undefined) throw new Error(`${path} was not answered`)
  return answer.status
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
  const seen = { peak: before, others: 0, slowestMs: 0 }
  let lastHigher = performance.now()
  let done = false
  const askAgain = async (address: string, path: string) => {
    while (!done) {
      const from = performance.now()
      // A turn that takes too long closes the connections of some requests, which may be this one's.
      const status = await ask(address, path).catch(() => ask(address, path))
      if (status !== 200) throw new Error(`${path} was not answered 200`)
      seen.slowestMs = Math.max(seen.slowestMs, performance.now() - from)
      seen.others++
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
  const asking = [askAgain(service.address, '/healthz'), askAgain(unread.address, otherPath)]
  const watching = Promise.all([watchMemory(), ...asking])
  writeAll(sockets, unread)
  lastHigher = performance.now()
  while (performance.now() - lastHigher < settledMs) await Promise.race([pause(50), watching])
  done = true
  await watching
  for (const socket of sockets) socket.destroy()
  return { peakMb: seen.peak - before, others: seen.others, slowestMs: seen.slowestMs }
}
