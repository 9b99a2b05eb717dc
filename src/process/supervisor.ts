/**
 * The supervisor: it owns what the server threads share and never answers a request itself.
 *
 *   indexes/current ─load─▶ shared memory ─▶ ┌ thread ┐ ◀─ one port ─ callers
 *   store/ ◀─counts─▶ shared memory ───────▶ └ thread ┘
 *                              └──────────────▶ pages ◀─ another port ─ people
 */
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { AccountsHost } from '../accounts/host.ts'
import { addressOf } from '../addresses.ts'
import { startCloseMsMax } from '../limits.ts'
import type { Settings } from '../settings.ts'
import { ServedCertificate } from './certificate.ts'
import type { CurrentVersion } from './current.ts'
import type { Owners, ServedMetrics } from './metrics.ts'
import type { PagesThread } from './pages-thread.ts'
import { type AddressNames, freePort, ListenError } from './port.ts'
import type { ServerThreads } from './threads.ts'

export interface Service {
  /** `http://HOST:PORT`, with the real port. */
  readonly address: string
  /** The same as programs see it: `API_URL`. */
  readonly api: string
  readonly accounts: AccountsHost
  readonly current: CurrentVersion
  readonly threads: ServerThreads
  /** `http://METRICS_HOST:METRICS_PORT`, with the real port; undefined if there are none. */
  readonly metrics: string | undefined
  /** Looks at the certificate's files now, if there are any. */
  reload(): void
  /** Tells whoever asks for its health that it will stop, and answers all else as before. */
  drain(): void
  /** Those for people, if there are any. */
  readonly pages: Pages | undefined
  /** Answers what is in flight, saves the counts. Returns how many requests were given up. */
  stop(): Promise<number>
}

export interface Pages {
  /** `http://WEB_HOST:WEB_PORT`, with the real port. */
  readonly address: string
  /** The same as those who open them see it: `WEB_URL`. */
  readonly url: string
  /** Resolves when they can be opened. */
  readonly up: Promise<void>
  /** Resolves when a first try has failed. */
  readonly failed: Promise<void>
}

/**
 * Throws IndexError if the current version is broken, ListenError if the address can't be had, and whatever else keeps
 * it from serving. All that is open is closed then.
 * @param reading the version to begin with
 * @param threads that may be loading still; they are the service's from now on
 * @param pagesThread the same of the pages
 * @param anyWebPort nobody has asked for that WEB_PORT: any free one does if it is taken
 */
export async function startService(
  settings: Settings,
  log: Logger,
  reading: Promise<CurrentVersion>,
  threads: ServerThreads,
  pagesThread?: PagesThread,
  anyWebPort = false,
): Promise<Service> {
  const { STORE_DIR, QUOTA_STORE, QUOTA_FAIL, ACCOUNTS_STORE } = settings
  let accounts: AccountsHost | undefined
  let givenUp = 0
  const stopThreads = async () => {
    ;[givenUp] = await Promise.all([threads.stop(), pagesThread?.stop()])
  }
  /** They close all that is open, the last first: counts are saved when no thread counts any more. */
  const closers: (() => unknown)[] = [() => accounts?.close(), stopThreads]
  const stop = async () => {
    await closeAll(closers)
    return givenUp
  }
  try {
    const current = await reading
    const shared = { quotaStore: QUOTA_STORE, quotaFail: QUOTA_FAIL, accountsStore: ACCOUNTS_STORE }
    const options = { storeDir: STORE_DIR, ...shared, log }
    if (ACCOUNTS_STORE !== undefined && QUOTA_STORE === undefined) {
      log.warn(
        'accounts are shared with other servers, and quotas are not: each server counts alone without QUOTA_STORE',
      )
    }
    accounts = await AccountsHost.open(options)
    threads.begin(accounts.shared, log)
    await current.openFirst(threads)
    const certificate = await secure(threads, settings, log)
    if (certificate !== undefined) pagesThread?.secure(certificate.pair)
    const port = await listen(threads, settings)
    current.follow(threads)
    closers.push(() => current.end())
    const following = certificate?.follow(threads, (pair) => pagesThread?.secure(pair))
    if (following !== undefined) closers.push(following.end)
    const address = addressOf(settings.HOST, port, settings)
    const api = settings.API_URL ?? address
    accounts.noteAddress(`${hostname()}:${port}`)
    const metrics = await serveMetrics(settings, { accounts, current, threads, api, certificate }, log)
    if (metrics !== undefined) closers.push(() => metrics.close())
    const pages = pagesThread && (await beginPages(pagesThread, settings, anyWebPort, accounts, address, log))
    current.describe(threads).catch((error) => log.error({ err: error }, 'the interface could not be described'))
    const reload = () => following?.again()
    const drain = () => {
      threads.drain()
      metrics?.drain()
    }
    return { address, api, accounts, current, threads, pages, metrics: metrics?.address, reload, drain, stop }
  } catch (error) {
    await atMost(startCloseMsMax, stop()).catch((closing) =>
      log.error({ err: closing }, 'what was open could not be closed'),
    )
    throw error
  }
}

/** Nothing of it is loaded where nobody asks for them. Throws ListenError. */
async function serveMetrics(settings: Settings, owners: Owners, log: Logger): Promise<ServedMetrics | undefined> {
  if (settings.METRICS_PORT === undefined) return undefined
  const { ServedMetrics } = await import('./metrics.ts')
  return ServedMetrics.serve(settings, owners, log)
}

/** Their port is looked for when the callers' is taken, so that the two are never one. Throws ListenError. */
async function beginPages(
  thread: PagesThread,
  settings: Settings,
  anyPort: boolean,
  accounts: AccountsHost,
  apiAddress: string,
  log: Logger,
): Promise<Pages> {
  const host = settings.WEB_HOST ?? settings.HOST
  const names = { host: settings.WEB_HOST === undefined ? 'HOST' : 'WEB_HOST', port: 'WEB_PORT' } as const
  const port = await portOfPages(host, settings.WEB_PORT!, names, anyPort)
  const address = addressOf(host, port, settings)
  const url = settings.WEB_URL ?? address
  // A proxy serves both by one address, unless API_URL says otherwise.
  const api = settings.API_URL ?? settings.WEB_URL ?? apiAddress
  thread.begin({ accounts: accounts.shared, host, port, url, api }, log)
  const up = thread.up.then(() => {
    try {
      accounts.notePages(url)
    } catch (error) {
      log.warn({ err: error }, 'commands can not be told where the pages are')
    }
  })
  return { address, url, up, failed: thread.failed }
}

async function portOfPages(host: string, port: number, names: AddressNames, any: boolean): Promise<number> {
  try {
    return await freePort(host, port, names)
  } catch (error) {
    if (any && error instanceof ListenError) return freePort(host, 0, names)
    throw error
  }
}

/** Closes what was opened last first; what can't be closed keeps nothing else open. */
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

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resume) => {
    timer = setTimeout(resume, ms)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** The certificate that all threads have then, if there is to be one. Throws CertificateError. */
async function secure(
  threads: ServerThreads,
  { TLS_CERT, TLS_KEY }: Settings,
  log: Logger,
): Promise<ServedCertificate | undefined> {
  if (TLS_CERT === undefined || TLS_KEY === undefined) return undefined
  const certificate = await ServedCertificate.read({ cert: TLS_CERT, key: TLS_KEY }, log)
  await threads.secure(certificate.pair)
  return certificate
}

/**
 * Alone, a thread takes the port for itself; several share one, which is tried first, since sharing asks nobody. The library
 * is never asked for any free port: a port that it finds by itself can't be taken again while old connections fade, so a
 * thread that dies would have no heir.
 */
async function listen(threads: ServerThreads, { HOST, PORT, THREADS }: Settings): Promise<number> {
  const alone = THREADS === 1
  const find = () => freePort(HOST, PORT)
  const port = alone && PORT !== 0 ? PORT : await find()
  try {
    return await threads.listen(port, alone)
  } catch (error) {
    // The library doesn't tell why.
    if (error instanceof ListenError) await find()
    throw error
  }
}
