/**
 * The verification record `indexes/<version>/checked`: the version was verified, so the next start need not do it again.
 *
 *   line 1   SHA-256 of the manifest's fields, which include each file's checksum; every load compares the checksums
 *   line 2   identity of the checking code
 *
 * It depends on nothing else, so the same snapshots have the same record. A record of other code or another manifest, or a
 * damaged one, is ignored. No manifest lists it: a version is complete without it, and copies may include it.
 */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Checksum } from '../../checksum.ts'
import { codeFilesIn, identityOf } from '../../code-identity.ts'
import { IndexError } from '../format.ts'
import type { Manifest } from '../manifest.ts'
import { readPlain } from '../plain-file.ts'

export const verifiedName = 'checked'

/** The modules of the checks and all that they import, which a test verifies. */
export const checkerSources: readonly string[] = [
  'src',
  'src/indexes',
  'src/indexes/checks',
  'src/indexes/series',
].flatMap((name) => codeFilesIn(name))

/** Computed when the checks are loaded: files that an upgrade replaces later do not run. */
const checker = identityOf(checkerSources, ['msgpackr', 'valibot'])

function recordFor({ format, version, asOf, counts, files }: Manifest): string {
  const words = JSON.stringify({ format, version, asOf, counts, files })
  return `${new Checksum().add(Buffer.from(words)).end().sha256}\n${checker}\n`
}

/** True if this code has verified these files. */
export async function isVerified(folder: string, manifest: Manifest): Promise<boolean> {
  const record = await unlessUnreadable(readPlain(join(folder, verifiedName)))
  return record?.toString('utf8') === recordFor(manifest)
}

/** If the folder is not writable, the next start verifies again. */
export async function recordVerified(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, verifiedName)
  // A new file: the old one may be a hard link from a copy of another version.
  const replace = async () => {
    await rm(path, { force: true })
    await writeFile(path, recordFor(manifest), { flag: 'wx' })
  }
  await unlessUnreadable(replace())
}

/** Ignores errors of the file system: without a record, a start is only slower. */
async function unlessUnreadable<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof IndexError) && (error as NodeJS.ErrnoException).syscall === undefined) throw error
    return undefined
  }
}
