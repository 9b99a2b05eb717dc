/**
 * Owns the served certificate: reads its files at the start and when they change, and gives the pair to all threads.
 * Operators may replace the files by renaming, by changing a link (certbot, Kubernetes), in place, or one after the
 * other. If the new files are wrong, all threads keep the last good pair, and replacement threads get that pair too.
 *
 *   TLS_CERT, TLS_KEY ─ read ─ a pair? valid now? ─▶ all threads: new connections use it
 *         └───────────────── wrong ───────────────▶ rejected: the previous certificate stays
 */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { createSecureContext } from 'node:tls'
import type { Logger } from 'pino'
import type { CertificateFiles } from '../http/connections/apps.ts'
import { currentPollMs, type Following, follow } from '../platform/follow.ts'
import type { Pair } from './certificate-files.ts'
import type { ServerThreads } from './threads/threads.ts'

/** The wait after a change, because an operator may replace the second file a moment after the first. */
const certificateSettleMs = 250

assert(currentPollMs + certificateSettleMs <= 1000, 'a certificate is served within 2 s')

export interface ServedCertificate {
  /** The pair that all threads use. */
  readonly pair: Pair
  /**
   * Follows the files from now on, and serves each new pair.
   * @param onServed called when all threads use the new pair
   */
  follow(threads: ServerThreads, onServed: (pair: Pair) => void): Following
}

/** Rejects with a one-line Error if the files hold no certificate. An expired certificate is served all the same. */
export async function readCertificate(files: CertificateFiles, log: Logger): Promise<ServedCertificate> {
  const fingerprint = await fingerprintOf(files)
  let pair = await readPair(files)
  const expired = wrongNow(pair)
  if (expired !== undefined) log.warn(`${expired}; it is served because there is no other`)

  async function serveNew(threads: ServerThreads, onServed: (pair: Pair) => void): Promise<void> {
    await pause(certificateSettleMs)
    const read = await readPair(files)
    if (read.cert.equals(pair.cert) && read.key.equals(pair.key)) {
      log.info('the certificate has not changed')
      return
    }
    const wrong = wrongNow(read)
    if (wrong !== undefined) throw new Error(wrong)
    await threads.secure(read)
    pair = read
    onServed(pair)
    const { subject, validTo } = new X509Certificate(pair.cert)
    log.info({ subject, validTo }, 'new connections get a new certificate')
  }

  return {
    get pair() {
      return pair
    },
    follow: (threads, onServed) =>
      follow(() => fingerprintOf(files), fingerprint, {
        apply: () => serveNew(threads, onServed),
        onRejection: (reason) => log.error(`the new certificate is rejected, and the previous one stays: ${reason}`),
      }),
  }
}

/** Returns a text that is different for each state of the files. Throws a one-line Error if a file can't be read. */
async function fingerprintOf(files: CertificateFiles): Promise<string> {
  const fingerprints = await Promise.all(
    [files.cert, files.key].map(async (path) => {
      const { dev, ino, mtimeMs, ctimeMs, size } = await stat(path).catch((error) => unreadable(path, error))
      return [dev, ino, mtimeMs, ctimeMs, size].join(' ')
    }),
  )
  return fingerprints.join(', ')
}

function unreadable(path: string, { code, message }: NodeJS.ErrnoException): never {
  throw new Error(`${path} can't be read (${code ?? message})`)
}

/** Reads the pair. Throws a one-line Error if a file can't be read, or they are not a certificate and its key. */
export async function readPair({ cert, key }: CertificateFiles): Promise<Pair> {
  const [certBytes, keyBytes] = await Promise.all(
    [cert, key].map((path) => readFile(path).catch((error) => unreadable(path, error))),
  )
  const pair = { cert: certBytes!, key: keyBytes! }
  try {
    createSecureContext(pair)
    new X509Certificate(pair.cert)
  } catch (error) {
    throw new Error(`${cert} is not a certificate for ${key} (${(error as Error).message})`)
  }
  return pair
}

/** When the certificate expires, in ms since 1970. */
export const expiryOf = ({ cert }: Pair): number => Date.parse(new X509Certificate(cert).validTo)

/** Why clients would reject the certificate now; undefined if its dates are right. */
export function wrongNow({ cert }: Pair): string | undefined {
  const { validFrom, validTo } = new X509Certificate(cert)
  if (Date.parse(validTo) <= Date.now()) return `the certificate expired on ${validTo}`
  if (Date.parse(validFrom) > Date.now()) return `the certificate is not valid before ${validFrom}`
  return undefined
}
