/** A certificate as files, for as long as the HTTP library reads them: it takes paths alone. */
import { closeSync, existsSync, openSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CertificateFiles } from '../http/connections/apps.ts'

export class CertificateError extends Error {}

export interface Pair {
  readonly cert: Buffer
  readonly key: Buffer
}

/** The first that can be written holds the files; in the first they are in memory alone. */
const folders = ['/dev/shm', tmpdir()]

/**
 * Rejects with a CertificateError if no folder can hold the pair.
 * @param given where the pair was read: these files are used where the system has no names for open files
 */
export async function withFiles<Result>(
  { cert, key }: Pair,
  given: CertificateFiles,
  use: (files: CertificateFiles) => Promise<Result>,
): Promise<Result> {
  if (!existsSync('/proc/self/fd')) return use(given)
  const opened: number[] = []
  try {
    for (const bytes of [cert, key]) opened.push(openWith(bytes))
    const [certPath, keyPath] = opened.map((file) => `/proc/self/fd/${file}`)
    return await use({ cert: certPath!, key: keyPath! })
  } finally {
    for (const file of opened) closeSync(file)
  }
}

/** Without a name nobody else can open the file, and it goes with the process. */
function openWith(bytes: Buffer): number {
  const name = `card-prices-${process.pid}-${process.hrtime.bigint()}`
  let failure: unknown
  for (const folder of folders) {
    try {
      return openIn(join(folder, name), bytes)
    } catch (error) {
      failure = error
    }
  }
  throw new CertificateError(`a certificate can't be handed to the HTTP library (${(failure as Error).message})`)
}

function openIn(path: string, bytes: Buffer): number {
  const file = openSync(path, 'wx+', 0o600)
  try {
    unlinkSync(path)
    writeFileSync(file, bytes)
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}
