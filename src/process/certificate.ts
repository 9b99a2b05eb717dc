/**
 * The certificate that is served: its one owner, which reads its files at the start and whenever they become others, and
 * hands threads a copy that nobody changes any more. Files are replaced by renaming, by a link's turning (certbot,
 * Kubernetes), in place, or one after the other, and may be wrong: then the copy serves on, for threads that are replaced too.
 *
 *   TLS_CERT, TLS_KEY ─ read ─ a pair? valid now? ─▶ copies without a name ─▶ all threads: new connections have it
 *         └───────────────── wrong ───────────────▶ refused: the one of before is served on
 */
import { X509Certificate } from 'node:crypto'
import { closeSync, existsSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createSecureContext } from 'node:tls'
import type { Logger } from 'pino'
import { type Following, follow } from '../follow.ts'
import type { CertificateFiles } from '../http/apps.ts'
import { certificateSettleMs } from '../limits.ts'
import type { ServerThreads } from './threads.ts'

export class CertificateError extends Error {}

export interface Pair {
  readonly cert: Buffer
  readonly key: Buffer
}

interface Copies {
  readonly files: CertificateFiles
  close(): void
}

export class ServedCertificate {
  readonly #files: CertificateFiles
  readonly #log: Logger
  #pair: Pair
  #copies: Copies
  /** Of the files when they were first read. */
  readonly #stamp: string

  private constructor(files: CertificateFiles, log: Logger, stamp: string, pair: Pair) {
    this.#files = files
    this.#log = log
    this.#stamp = stamp
    this.#pair = pair
    this.#copies = copyOf(pair, files)
  }

  /** Rejects with a CertificateError if there is none in the files. One that has expired is served all the same. */
  static async read(files: CertificateFiles, log: Logger): Promise<ServedCertificate> {
    const stamp = await stampOf(files)
    const pair = await readPair(files)
    const wrong = wrongNow(pair)
    if (wrong !== undefined) log.warn(`${wrong}; it is served, since there is no other`)
    return new ServedCertificate(files, log, stamp, pair)
  }

  /** For threads, good until another one is served. */
  get files(): CertificateFiles {
    return this.#copies.files
  }

  /** The same as it was read. */
  get pair(): Pair {
    return this.#pair
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
    if (pair.cert.equals(this.#pair.cert) && pair.key.equals(this.#pair.key)) {
      this.#log.info('the certificate is the one that is served')
      return
    }
    const wrong = wrongNow(pair)
    if (wrong !== undefined) throw new CertificateError(wrong)
    const copies = copyOf(pair, this.#files)
    const refused = await threads.secure(copies.files)
    if (refused !== undefined) {
      copies.close()
      throw new CertificateError(refused)
    }
    this.#copies.close()
    this.#copies = copies
    this.#pair = pair
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

/** Where memory alone holds a file, if anywhere. */
const folders = ['/dev/shm', tmpdir()]

/** Without names nobody else can open them, and they go with the process. Where the system has no such thing, the files themselves. */
function copyOf(pair: Pair, files: CertificateFiles): Copies {
  const opened: number[] = []
  const copy = (bytes: Buffer): string => {
    const file = openWithoutName()
    opened.push(file)
    writeSync(file, bytes)
    return `/proc/self/fd/${file}`
  }
  if (!existsSync('/proc/self/fd')) return { files, close: () => {} }
  return {
    files: { cert: copy(pair.cert), key: copy(pair.key) },
    close: () => {
      for (const file of opened) closeSync(file)
    },
  }
}

function openWithoutName(): number {
  const name = `card-prices-${process.pid}-${process.hrtime.bigint()}`
  let failure: unknown
  for (const folder of folders) {
    try {
      const path = join(folder, name)
      const file = openSync(path, 'wx+', 0o600)
      unlinkSync(path)
      return file
    } catch (error) {
      failure = error
    }
  }
  throw new CertificateError(`a certificate can't be kept (${(failure as Error).message})`)
}
