/**
 * Identifies code by a hash of its files, so that cached results are only reused by the code that made them. Nobody has to remember
 * to raise a version number.
 */
import { createHash, hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageVersion } from '../../src/platform/packages.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))

const extension = extname(import.meta.url)

/** The modules below a folder of the project, as paths from the project's folder. */
export function codeFilesIn(folder: string): string[] {
  const names = readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith(extension))
    .sort()
    .map((name) => `${folder}/${name}`)
}

/**
 * SHA-256, hexadecimal, over the names and contents of the files, and the versions of the packages, of Unicode and of
 * zlib. A tenth of a millisecond a file.
 */
export function identityOf(files: readonly string[], packages: readonly string[]): string {
  const sum = createHash('sha256')
  for (const part of ['unicode', 'zlib']) sum.update(`${part} ${process.versions[part]}\n`)
  for (const name of packages) sum.update(`${name} ${packageVersion(name)}\n`)
  for (const path of files) {
    sum.update(`${path} ${hash('sha256', readFileSync(join(project, path)))}\n`)
  }
  return sum.digest('hex')
}
