/** Examines the server and Redis over the network. Each request ends within `doctorAskMsMax`. */
import { setTimeout as pause } from 'node:timers/promises'
import { accountsScripts, storeKey } from '../../accounts/replication/accounts-scripts.ts'
import { addressOf, hostHere } from '../../addresses.ts'
import { doctorAskMsMax } from '../../limits.ts'
import { type AddressNames, freePort, ListenError } from '../../process/free-port.ts'
import { epochKey, quotaScripts } from '../../quota/leases/lease-scripts.ts'
import { RedisConnection } from '../../redis.ts'
import type { Settings } from '../../settings.ts'
import { softwareVersion } from '../../version.ts'
import { type Answer, ask } from '../ask.ts'
import { bad, type Found, type Look, ok, warn } from './finding.ts'

export const lookAtPort: Look = ({ HOST: host, PORT: port, TLS_CERT }) => {
  const names = { host: 'HOST', port: 'PORT' } as const
  return listener({ host, port, TLS_CERT, names, path: '/healthz' }, ({ status, body }, address) => {
    const { status: health, version, software } = parsed(body)
    if (status === 503)
      return bad(`the server at ${address} has no data, or is stopping`, 'check INDEX_DIR and its log')
    if (health !== 'ok') return undefined
    const found = `a server answers at ${address} with version ${version}`
    if (software === softwareVersion) return ok(found)
    return warn(`${found}, and is of release ${software ?? 'unknown'}, not ${softwareVersion}`, 'restart it')
  })
}

export const lookAtPages: Look = async ({ HOST, WEB_HOST, WEB_PORT, TLS_CERT, WEB_URL, API_URL }) => {
  const names = { host: WEB_HOST === undefined ? 'HOST' : 'WEB_HOST', port: 'WEB_PORT' } as const
  const place = { host: WEB_HOST ?? HOST, port: WEB_PORT!, TLS_CERT, names, path: '/' }
  const found = await listener(place, ({ status, body }, address) =>
    status === 200 && body.includes('<footer>') ? ok(`they are at ${address}`) : undefined,
  )
  if (found.state !== 'ok' || WEB_URL === undefined || API_URL !== undefined) return found
  const health = await ask(`${WEB_URL}/healthz`, doctorAskMsMax, noAnswer).catch(() => undefined)
  if (parsed(health?.body ?? '').status !== undefined) return found
  return warn(
    `${found.found}; they send programs to ${WEB_URL}, where the API does not answer`,
    'set API_URL to the address of PORT as programs reach it, or let the proxy pass /v1/, /healthz and /openapi.json on to PORT',
  )
}

export const lookAtMetrics: Look = ({ METRICS_HOST: host, METRICS_PORT }) => {
  const names = { host: 'METRICS_HOST', port: 'METRICS_PORT' } as const
  const place = { host, port: METRICS_PORT!, TLS_CERT: undefined, names, path: '/metrics' }
  return listener(place, ({ status, body }, address) =>
    status === 200 && body.includes('cpl_build_info') ? ok(`they are at ${address}/metrics`) : undefined,
  )
}

const noAnswer = `no answer for ${doctorAskMsMax / 1000} s`

/** Errors of the kernel or a name server if nobody listens. */
const nobodyThere: ReadonlySet<unknown> = new Set(
  'ECONNREFUSED ENOTFOUND EAI_AGAIN EADDRNOTAVAIL EHOSTUNREACH'.split(' '),
)

interface Place extends Pick<Settings, 'TLS_CERT'> {
  readonly host: string
  readonly port: number
  readonly names: AddressNames
  readonly path: string
}

/** @param judge returns undefined for an answer that is not this server's */
async function listener(
  { host, port, TLS_CERT, names, path }: Place,
  judge: (answer: Answer, address: string) => Found | undefined,
): Promise<Found> {
  if (port === 0) return ok(`${names.port} is any free port: the server prints which`)
  const address = addressOf(hostHere(host), port, { TLS_CERT })
  const stop = `stop the other program, or set another ${names.port}`
  try {
    const answer = await ask(`${address}${path}`, doctorAskMsMax, noAnswer)
    return judge(answer, address) ?? bad(`another program answers at ${address} (${answer.status})`, stop)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (!nobodyThere.has(code))
      return bad(`another program has ${address}, and does not answer as this server (${message})`, stop)
  }
  try {
    await freePort(host, port, names)
    return warn(`no server runs; ${address} is free`, 'start one (card-prices serve); commands work without it')
  } catch (error) {
    if (error instanceof ListenError) return bad(error.message, `correct ${names.host} or ${names.port}`)
    throw error
  }
}

function parsed(body: string): { status?: unknown; version?: unknown; software?: unknown } {
  try {
    return JSON.parse(body) ?? {}
  } catch {
    return {}
  }
}

export const lookAtRedis: Look = async ({ QUOTA_STORE, ACCOUNTS_STORE }) => {
  const stores = Object.entries({ QUOTA_STORE, ACCOUNTS_STORE }).filter(([, url]) => url !== undefined)
  const tried = await Promise.all(stores.map(([name, url]) => redisAt(name, url!)))
  const found = tried.map(({ found }) => found).join('; ')
  if (tried.every(({ isUp }) => isUp)) return ok(found)
  return bad(found, 'start it, or correct it or the setting with its password')
}

async function redisAt(name: string, url: string): Promise<{ isUp: boolean; found: string }> {
  const connection = new RedisConnection(url, { commandMsMax: doctorAskMsMax, reconnectMs: doctorAskMsMax })
  if (name === 'QUOTA_STORE') connection.define(quotaScripts, epochKey)
  else connection.define(accountsScripts, storeKey)
  // The first reason says most; later the connection is only closed.
  let reason: string | undefined
  connection.listen({
    onAway: (why) => {
      reason ??= why
    },
  })
  try {
    const late = pause(doctorAskMsMax, 'late', { ref: false })
    const isLate = (await Promise.race([connection.connect(), late])) === 'late'
    if (connection.runId !== undefined) return { isUp: true, found: `${name} answers at ${connection.place}` }
    const why = isLate ? noAnswer : (reason ?? connection.reason)
    return { isUp: false, found: `${name} can't be used at ${connection.place} (${why})` }
  } finally {
    connection.close()
  }
}
