/**
 * The certificate that is served: its one owner, which reads its files at the start and whenever they become others, and
 * hands threads what it read. Files are replaced by renaming, by a link's turning (certbot, Kubernetes), in place, or one
 * after the other, and may be wrong: then what was read before serves on, for threads that are replaced too.
 *
 *   TLS_CERT, TLS_KEY ─ read ─ a pair? valid now? ─▶ all threads: new connections have it
 *         └───────────────── wrong ───────────────▶ refused: the one of before is served on
 */
import { X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { createSecureContext } from 'node:tls'
import type { Logger } from 'pino'
import { type Following, follow } from '../follow.ts'
import type { CertificateFiles } from '../http/connections/apps.ts'
import { certificateSettleMs } from '../limits.ts'
import { CertificateError, type Pair } from './certificate-files.ts'
import type { ServerThreads } from './threads.ts'

export class ServedCertificate {
  readonly #files: CertificateFiles
  readonly #log: Logger
  /** The pair that all threads have. */
  pair: Pair
  /** Of the files when they were first read. */
  readonly #stamp: string

  private constructor(files: CertificateFiles, log: Logger, stamp: string, pair: Pair) {
    this.#files = files
    this.#log = log
    this.#stamp = stamp
    this.pair = pair
  }

  /** Rejects with a CertificateError if there is none in the files. One that has expired is served all the same. */
  static async read(files: CertificateFiles, log: Logger): Promise<ServedCertificate> {
    const stamp = await stampOf(files)
    const pair = await readPair(files)
    const wrong = wrongNow(pair)
    if (wrong !== undefined) log.warn(`${wrong}; it is served, since there is no other`)
    return new ServedCertificate(files, log, stamp, pair)
  }

  /** When new connections are refused for it, in ms since 1970. */
  get expiresAt(): number {
    return Date.parse(new X509Certificate(this.pair.cert).validTo)
  }

  /** Takes up what the files become from now on. @param onServed called with what all threads have then */
  follow(threads: ServerThreads, onServed: (pair: Pair) => void): Following {
    return follow(() => stampOf(this.#files), this.#stamp, {
      take: () => this.#take(threads, onServed),
      onRefusal: (reason) =>
        this.#log.error(`the certificate is refused, and the one of before is served on: ${reason}`),
    })
  }

  async #take(threads: ServerThreads, onServed: (pair: Pair) => void): Promise<void> {
    // The other file may be on its way.
    await pause(certificateSettleMs)
    const pair = await readPair(this.#files)
    if (pair.cert.equals(this.pair.cert) && pair.key.equals(this.pair.key)) {
      this.#log.info('the certificate is the one that is served')
      return
    }
    const wrong = wrongNow(pair)
    if (wrong !== undefined) throw new CertificateError(wrong)
    await threads.secure(pair)
    this.pair = pair
    onServed(pair)
    const { subject, validTo } = new X509Certificate(pair.cert)
    this.#log.info({ subject, validTo }, 'new connections have another certificate')
  }
}

/** What tells one state of the files from the next. Throws CertificateError if there is none. */
async function stampOf(files: CertificateFiles): Promise<string> {
  const stamps = await Promise.all(
    [files.cert, files.key].map(async (path) => {
      const { dev, ino, mtimeMs, ctimeMs, size } = await stat(path).catch((error) => unreadable(path, error))
      return [dev, ino, mtimeMs, ctimeMs, size].join(' ')
    }),
  )
  return stamps.join(', ')
}

function unreadable(path: string, { code, message }: NodeJS.ErrnoException): never {
  throw new CertificateError(`${path} can't be read (${code ?? message})`)
}

/** Throws CertificateError. */
async function readPair({ cert, key }: CertificateFiles): Promise<Pair> {
  const [certBytes, keyBytes] = await Promise.all(
    [cert, key].map((path) => readFile(path).catch((error) => unreadable(path, error))),
  )
  const pair = { cert: certBytes!, key: keyBytes! }
  try {
    createSecureContext(pair)
    new X509Certificate(pair.cert)
  } catch (error) {
    throw new CertificateError(`${cert} is no certificate that goes with ${key} (${(error as Error).message})`)
  }
  return pair
}

/** Why callers would refuse it now. */
function wrongNow({ cert }: Pair): string | undefined {
  const { validFrom, validTo } = new X509Certificate(cert)
  if (Date.parse(validTo) <= Date.now()) return `the certificate expired on ${validTo}`
  if (Date.parse(validFrom) > Date.now()) return `the certificate is not valid before ${validFrom}`
  return undefined
}
