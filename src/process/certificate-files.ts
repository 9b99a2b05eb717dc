/** Puts a certificate into files for a moment, because the HTTP library reads certificates only from paths. */
import { closeSync, existsSync, openSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CertificateFiles } from '../http/connections/apps.ts'

export interface Pair {
  readonly cert: Buffer
  readonly key: Buffer
}

/** The folders for these files, in the order in which they are tried. Files in /dev/shm are only in memory. */
const folders = ['/dev/shm', tmpdir()]

/**
 * Calls `use` with the paths of files that hold the pair. Rejects with a one-line Error if no folder can hold them.
 * @param given the operator's own files. `use` gets them where the system has no /proc/self/fd
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

/**
 * Writes the bytes to a file, and returns its descriptor. The file has no name, and the system drops it with this
 * process.
 */
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
  throw new Error(`the HTTP library can't get a certificate (${(failure as Error).message})`)
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
