/** Examines the server over the network. Each request ends within `doctorAskMsMax`. */
import { resolve } from 'node:path'
import { addressOf, hostHere } from '../../addresses.ts'
import { commandLine } from '../../command/command-line.ts'
import { type AddressNames, freePort, ListenError } from '../../process/free-port.ts'
import type { Settings } from '../../settings.ts'
import { softwareVersion } from '../../version.ts'
import { type Answer, ask } from '../ask.ts'
import { bad, type Found, type Look, ok, warn } from './finding.ts'
import { serverOf } from './stored.ts'

/** The longest time for one network request. */
const doctorAskMsMax = 3000

export const lookAtPort: Look = ({ HOST: host, PORT: port, STORE_DIR, TLS_CERT }) => {
  const names = { host: 'HOST', port: 'PORT' } as const
  return listener({ host, port, TLS_CERT, names, path: '/healthz' }, ({ status, body }, address) => {
    const { status: health, version, software } = parsed(body)
    if (health === undefined) return undefined
    const found = `a server answers at ${address} with version ${version}`
    const other = otherServer(STORE_DIR, port)
    if (other !== undefined) return bad(`${found}, which is not the server of STORE_DIR: ${other}`, otherAdvice)
    if (status === 503)
      return bad(`the server at ${address} has no data, or is stopping`, 'check INDEX_DIR and its log')
    if (software === softwareVersion) return ok(found)
    return warn(`${found}, and is of release ${software ?? 'unknown'}, not ${softwareVersion}`, 'restart it')
  })
}

const otherAdvice = 'correct STORE_DIR or PORT: the accounts and keys of STORE_DIR are not those of that server'

/**
 * Describes the server of STORE_DIR if it is not the server at PORT; undefined if it is. A server of an earlier release
 * does not record its address, and is assumed to be the server at PORT.
 */
function otherServer(storeDir: string, port: number): string | undefined {
  const server = serverOf(storeDir)
  if (server === undefined) return `none runs on ${resolve(storeDir)}`
  const { pid, address } = server
  return address === undefined || portOf(address) === port ? undefined : `process id ${pid} listens on ${address}`
}

const portOf = (address: string): number => Number(/\d+$/.exec(address)?.[0])

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

/** If nobody listens at an address, the kernel or the name server reports one of these errors. */
const nobodyThere: ReadonlySet<unknown> = new Set(
  'ECONNREFUSED ENOTFOUND EAI_AGAIN EADDRNOTAVAIL EHOSTUNREACH'.split(' '),
)

interface Place extends Pick<Settings, 'TLS_CERT'> {
  readonly host: string
  readonly port: number
  readonly names: AddressNames
  readonly path: string
}

/** Examines an address. @param judge returns undefined if the response is that of another program */
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
    return warn(`no server runs; ${address} is free`, `start one (${commandLine('serve')}); commands work without it`)
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
