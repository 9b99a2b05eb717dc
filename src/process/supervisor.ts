/**
 * Starts the service in the main thread, the supervisor. It owns what the server threads share. Of all requests, it
 * answers only those for metrics.
 *
 *   indexes/current ─load─▶ shared memory ─▶ ┌ thread ┐ ◀─ one port ─ callers
 *   store/ ◀─counts─▶ shared memory ───────▶ └ thread ┘
 *                              └──────────────▶ pages ◀─ another port ─ people
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AccountsHost } from '../accounts/accounts-host.ts'
import { addressOf } from '../addresses.ts'
import { endAtOnce } from '../platform/end-process.ts'
import type { Settings } from '../settings.ts'
import { readCertificate, type ServedCertificate } from './certificate.ts'
import { CurrentVersion } from './current.ts'
import { freePort, ListenError } from './free-port.ts'
import { PagesThread } from './threads/pages-thread.ts'
import { ServerThreads } from './threads/threads.ts'

/** How long a failed start waits until everything is closed. */
const startCloseMsMax = 1500

export interface Service {
  /** `http://HOST:PORT`, with the real port. */
  readonly address: string
  /** `API_URL`, or `address` if that is not set. */
  readonly api: string
  readonly accounts: AccountsHost
  readonly current: CurrentVersion
  readonly threads: ServerThreads
  /** `http://METRICS_HOST:METRICS_PORT`, with the real port; undefined without METRICS_PORT. */
  readonly metrics: string | undefined
  /** Checks the certificate's files now, if there are any. */
  reload(): void
  /** From now on /healthz answers 503; all other requests are answered as before. */
  drain(): void
  /** Undefined without WEB_PORT. */
  readonly pages: Pages | undefined
  /** Answers the requests in flight and saves the counts. Returns how many requests were given up. */
  stop(): Promise<number>
}

export interface Pages {
  /** `http://WEB_HOST:WEB_PORT`, with the real port. */
  readonly address: string
  /** `WEB_URL`, or `address` if that is not set. */
  readonly url: string
  /** Resolves when the pages are served. */
  readonly up: Promise<void>
  /** Resolves if the pages' thread fails. */
  readonly failed: Promise<void>
}

/**
 * Starts the service. If a step fails, it closes everything again. Throws IndexError if the current version is damaged,
 * ListenError if an address is not available, and other errors.
 * @param anyWebPort if true, the pages use any free port when WEB_PORT is taken
 */
export async function startService(settings: Settings, log: Logger, anyWebPort = false): Promise<Service> {
  const { STORE_DIR, QUOTA_FAIL, DATABASE_URL } = settings
  const pagesThread = settings.WEB_PORT === undefined ? undefined : new PagesThread(settings, log)
  const current = new CurrentVersion(settings, log, pagesThread)
  let accounts: AccountsHost | undefined
  let running: ServerThreads | undefined
  let givenUp = 0
  const stopThreads = async () => {
    ;[givenUp = 0] = await Promise.all([running?.stop(), pagesThread?.stop()])
  }
  /** They run from the last to the first, so counts are saved after the threads have stopped. */
  const closers: (() => unknown)[] = [() => accounts?.close(), stopThreads]
  const stop = async () => {
    await closeAll(closers)
    return givenUp
  }
  try {
    accounts = await AccountsHost.open({
      storeDir: STORE_DIR,
      databaseUrl: DATABASE_URL,
      quotaFail: QUOTA_FAIL,
      servedVersion: () => current.figures.served?.version,
      log,
    })
    const host = accounts
    const threads = new ServerThreads(settings, log, accounts.shared, (line) => {
      host.noteHungThread()
      log.fatal(line)
      // As after a kill, the counts of the last second are lost.
      endAtOnce()
    })
    running = threads
    await current.openFirst(threads)
    await current.describe(threads)
    const certificate = await secure(threads, settings, log)
    if (certificate !== undefined) pagesThread?.send({ type: 'secure', certificate: certificate.pair })
    const port = await listen(threads, settings)
    current.listens()
    current.follow(threads)
    closers.push(() => current.end())
    const following = certificate?.follow(threads, (pair) => pagesThread?.send({ type: 'secure', certificate: pair }))
    if (following !== undefined) closers.push(following.end)
    const address = addressOf(settings.HOST, port, settings)
    const api = settings.API_URL ?? address
    accounts.noteAddress(address, port)
    const sources = { accounts, current, threads, pagesThread, api, certificate }
    // Prometheus' client takes memory that a server without metrics does not need.
    const metrics =
      settings.METRICS_PORT === undefined
        ? undefined
        : await (await import('./metrics.ts')).serveMetrics(settings, sources, log)
    if (metrics !== undefined) closers.push(() => metrics.close())
    const pages =
      pagesThread && (await beginPages(pagesThread, settings, { accounts, threads, address, port, anyWebPort }))
    const reload = () => following?.again()
    const drain = () => {
      threads.drain()
      metrics?.drain()
    }
    return { address, api, accounts, current, threads, pages, metrics: metrics?.address, reload, drain, stop }
  } catch (error) {
    const late = pause(startCloseMsMax, undefined, { ref: false })
    await Promise.race([stop(), late]).catch((closing) => log.error({ err: closing }, 'not everything could be closed'))
    throw error
  }
}

/** What the pages need to begin. `address` and `port` are the API's. */
type PagesNeeds = Pick<Service, 'accounts' | 'threads' | 'address'> & { port: number; anyWebPort: boolean }

/** Call it when the server threads listen, so the pages never take the threads' port. Throws ListenError. */
async function beginPages(thread: PagesThread, settings: Settings, needs: PagesNeeds): Promise<Pages> {
  const { accounts, anyWebPort } = needs
  const host = settings.WEB_HOST ?? settings.HOST
  const names = { host: settings.WEB_HOST === undefined ? 'HOST' : 'WEB_HOST', port: 'WEB_PORT' } as const
  const port = await freePort(host, settings.WEB_PORT!, names).catch((error) => {
    if (anyWebPort && error instanceof ListenError) return freePort(host, 0, names)
    throw error
  })
  const address = addressOf(host, port, settings)
  const url = settings.WEB_URL ?? address
  // With WEB_URL, a proxy probably serves the pages and the API under one address.
  const api = settings.API_URL ?? settings.WEB_URL ?? needs.address
  const apiPort = settings.API_URL === undefined && settings.WEB_URL !== undefined ? needs.port : undefined
  const desk = settings.OPERATOR_PAGES === 'on' ? await deskMemory(needs.threads) : undefined
  thread.send({ type: 'begin', accounts: accounts.shared, host, port, url, api, apiPort, desk })
  const up = thread.up.then(() => accounts.notePages(url, settings.OPERATOR_PAGES === 'on'))
  return { address, url, up, failed: thread.failed }
}

/** The memory that the operator's pages read. Its module is loaded only with OPERATOR_PAGES. */
async function deskMemory({ blocks: counters }: ServerThreads) {
  const { reserveRequestHours } = await import('../web/operator/request-hours.ts')
  return { hours: reserveRequestHours(), counters }
}

/** Runs all closers, the last first, even if one fails. Throws the first error. */
async function closeAll(closers: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = []
  for (const close of closers.toReversed()) {
    try {
      await close()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}

/** Gives all threads the certificate, if TLS is set. */
async function secure(
  threads: ServerThreads,
  { TLS_CERT, TLS_KEY }: Settings,
  log: Logger,
): Promise<ServedCertificate | undefined> {
  if (TLS_CERT === undefined || TLS_KEY === undefined) return undefined
  const certificate = await readCertificate({ cert: TLS_CERT, key: TLS_KEY }, log)
  await threads.secure(certificate.pair)
  return certificate
}

const freePortAttempts = 3

/**
 * Makes all threads listen on one port, and returns the port. A single thread takes the port exclusively. Several
 * threads share the port. The system lets other programs share it as well, so a probe first checks that nobody listens
 * there. For port 0, the probe finds a free port. The library must not choose the port: a replacement thread could not
 * listen on such a port while old connections close.
 */
async function listen(threads: ServerThreads, { HOST, PORT, THREADS }: Settings): Promise<number> {
  const alone = THREADS === 1
  const find = () => freePort(HOST, PORT)
  for (let attempt = 1; ; attempt++) {
    const port = alone && PORT !== 0 ? PORT : await find()
    try {
      return await threads.listen(port, alone)
    } catch (error) {
      if (!(error instanceof ListenError)) throw error
      // Another program may have taken the free port since it was found.
      if (PORT === 0 && attempt < freePortAttempts) continue
      // The library does not report the reason; the probe does.
      await find()
      throw error
    }
  }
}
