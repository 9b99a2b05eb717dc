/**
 * The supervisor: it owns what the server threads share and never answers a request itself.
 *
 *   indexes/current ─load─▶ shared memory ─▶ ┌ thread ┐ ◀─ one port ─ callers
 *   store/ ◀─counts─▶ shared memory ───────▶ └ thread ┘
 */
import { isIPv6 } from 'node:net'
import type { Logger } from 'pino'
import { AccountsHost } from '../accounts/host.ts'
import { startCloseMsMax } from '../limits.ts'
import type { Settings } from '../settings.ts'
import { CertificateError, ServedCertificate } from './certificate.ts'
import { CurrentVersion } from './current.ts'
import { freePort, ListenError } from './port.ts'
import type { ServerThreads } from './threads.ts'

export interface Service {
  /** `http://HOST:PORT`, with the real port. */
  readonly address: string
  readonly accounts: AccountsHost
  readonly current: CurrentVersion
  readonly threads: ServerThreads
  /** Looks at the certificate's files now, if there are any. */
  reload(): void
  /** Tells whoever asks for its health that it will stop, and answers all else as before. */
  drain(): void
  /** Answers what is in flight, saves the counts. */
  stop(): Promise<void>
}

/**
 * Throws IndexError if the current version is broken, ListenError if the address can't be had, and whatever else keeps
 * it from serving. All that is open is closed then.
 * @param threads that may be loading still; they are the service's from now on
 */
export async function startService(settings: Settings, log: Logger, threads: ServerThreads): Promise<Service> {
  const { STORE_DIR, QUOTA_STORE, QUOTA_FAIL } = settings
  let accounts: AccountsHost | undefined
  /** What closes all that is open, the last first: counts are saved when no thread counts any more. */
  const closers: (() => unknown)[] = [() => accounts?.close(), () => threads.stop()]
  const stop = () => closeAll(closers)
  try {
    const current = await CurrentVersion.beginReading(settings, log)
    const options = { storeDir: STORE_DIR, quotaStore: QUOTA_STORE, quotaFail: QUOTA_FAIL, log }
    accounts = await AccountsHost.open(options)
    threads.begin(accounts.shared, log)
    await current.openFirst(threads)
    const certificate = await secure(threads, settings, log)
    const port = await listen(threads, settings)
    const followed = [current.follow(threads)]
    const following = certificate?.follow(threads)
    if (following !== undefined) followed.push(following)
    closers.push(...followed.map(({ end }) => end))
    current.describe(threads).catch((error) => log.error({ err: error }, 'the interface could not be described'))
    const reload = () => following?.again()
    const drain = () => threads.drain()
    return { address: addressOf(settings, port), accounts, current, threads, reload, drain, stop }
  } catch (error) {
    await atMost(startCloseMsMax, stop()).catch((closing) =>
      log.error({ err: closing }, 'what was open could not be closed'),
    )
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

async function atMost(ms: number, work: Promise<void>): Promise<void> {
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
  const refused = await threads.secure(certificate.files)
  if (refused !== undefined) throw new CertificateError(refused)
  return certificate
}

/**
 * Alone, a thread takes the port for itself; several share one, which is tried first, since sharing asks nobody. The library
 * is never asked for any free port: a port that it finds by itself can't be taken again while old connections fade, so a
 * thread that dies would have no heir.
 */
async function listen(threads: ServerThreads, { HOST, PORT, THREADS }: Settings): Promise<number> {
  try {
    const alone = THREADS === 1
    return await threads.listen(alone && PORT !== 0 ? PORT : await freePort(HOST, PORT), alone)
  } catch (error) {
    if (error instanceof ListenError)
      throw new ListenError(`${HOST}:${PORT} can't be listened on: it is taken or not this machine's`)
    throw error
  }
}

function addressOf({ HOST, TLS_CERT }: Settings, port: number): string {
  return `${TLS_CERT === undefined ? 'http' : 'https'}://${isIPv6(HOST) ? `[${HOST}]` : HOST}:${port}`
}
