/** Callers who ask on and on and read nothing, what that costs the server's process, and how others are answered meanwhile. */
import { readFileSync } from 'node:fs'
import { request as requestPlainly } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { patternOf, routes } from '../../src/api/routes.ts'
import { addressOf } from './route-requests.ts'
import { until } from './until.ts'

/** A process whose memory can be told. */
export interface Watched {
  /** Where the callers who don't read ask: `http://…` or `https://…`. */
  readonly address: string
  readonly pid: number
  /** Asks something small on a connection of its own; rejects if it is not answered. */
  ask(): Promise<void>
}

export interface Flood {
  readonly connections: number
  /** Each asks so many times. */
  readonly times: number
}

export interface Flooded {
  /** Most memory in use meanwhile, and 5 s after all have left, beyond that before. */
  readonly moreMb: number
  readonly leftMb: number
  /** The longest that somebody else waited for an answer. */
  readonly slowestMs: number
}

/** Linux alone tells it. */
export const skipUnlessLinux = process.platform !== 'linux' && 'reads the memory of a process from /proc'

const residentMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

/** A server has answered, after so long, what it was sent. */
const handledMs = 1000
const closedMsMax = 5000

/** @param requests each connection sends all of them in turn, again and again */
export async function floodUnread(
  { address, pid, ask }: Watched,
  requests: readonly string[],
  { connections, times }: Flood,
): Promise<Flooded> {
  await ask()
  const beforeMb = residentMb(pid)
  let moreMb = 0
  let slowestMs = 0
  const text = Array.from({ length: times }, (_, i) => requests[i % requests.length]).join('')
  const callers = Array.from({ length: connections }, () => {
    const caller = connectTo(address)
    // What is closed while bytes of ours are on their way is a reset.
    caller.on('error', () => {})
    return caller
  })
  const sent = callers.map(
    (caller) =>
      new Promise<void>((resolve) => {
        caller.once('close', () => resolve()).write(text, () => resolve())
      }),
  )
  let sentAt = Number.POSITIVE_INFINITY
  const all = Promise.all(sent).then(() => {
    sentAt = performance.now()
  })
  do {
    const since = performance.now()
    await ask()
    slowestMs = Math.max(slowestMs, performance.now() - since)
    moreMb = Math.max(moreMb, residentMb(pid) - beforeMb)
  } while (performance.now() < sentAt + handledMs)
  await all
  for (const caller of callers) caller.destroy()
  const since = performance.now()
  await until(
    'its memory is free again, or the time is over',
    () => residentMb(pid) - beforeMb < 8 || performance.now() - since > closedMsMax,
  )
  return { moreMb, leftMb: Math.max(0, residentMb(pid) - beforeMb), slowestMs }
}

/** Asks for the path on a connection of its own; rejects if the answer is no 200. */
export const askerOf = (address: string, path: string) => (): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = address.startsWith('https:') ? requestSecurely : requestPlainly
    const asking = request(`${address}${path}`, { agent: false, rejectUnauthorized: false }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`answered ${answer.statusCode}`))
      answer.resume().on('end', resolve)
    })
    asking.on('error', reject).end()
  })

/** A connection that reads nothing. */
function connectTo(address: string): Socket {
  const { protocol, hostname, port } = new URL(address)
  const options = { host: hostname, port: Number(port), rejectUnauthorized: false }
  return (protocol === 'https:' ? connectSecurely(options) : connect(options)).pause()
}

/** For each route and each way to ask for it, what it is called and the request. */
export function unreadRequests(key: string): ReadonlyMap<string, string> {
  const requests = new Map<string, string>()
  const head = (method: string, path: string, more = '') => `${method} ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
  const withKey = `X-API-Key: ${key}\r\n`
  for (const route of routes) {
    const path = addressOf(route, { ...longest[route.operation] })
    const name = `${route.method} ${patternOf(route.path)}`
    if (route.method === 'POST') {
      const type = 'Content-Type: application/json\r\n'
      requests.set(name, `${head('POST', path, `${withKey}${type}Content-Length: 10\r\n`)}{"ids":[]}`)
      requests.set(`${name} without a key`, `${head('POST', path, `${type}Content-Length: 10\r\n`)}{"ids":[]}`)
    } else {
      requests.set(name, head('GET', path, withKey))
      requests.set(`${name} again`, head('GET', path, `${withKey}If-None-Match: *\r\n`))
      requests.set(`${name} without a key`, head('GET', path))
      requests.set(`HEAD ${patternOf(route.path)}`, head('HEAD', path))
    }
    requests.set(`OPTIONS ${patternOf(route.path)}`, head('OPTIONS', path))
    requests.set(`DELETE ${patternOf(route.path)}`, head('DELETE', path))
  }
  requests.set('no route', head('GET', '/nothing'))
  return requests
}

/** Parameters of the longest answer, by operation. */
const longest: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  searchCards: { limit: '100', view: 'full' },
  listCards: { limit: '100', view: 'full' },
  listSets: { limit: '200' },
  getCardHistory: { period: 'all' },
  getCardPrices: { days: '90' },
}
