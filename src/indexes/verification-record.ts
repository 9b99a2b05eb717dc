/**
 * `indexes/<version>/checked`: the note that a version was checked in whole, so that it is not done again at each start.
 *
 *   line 1   SHA-256 of what was checked: the manifest's words, and with them each file's checksum, which every load compares
 *   line 2   which checker it was
 *
 * It follows from these alone, so the same snapshots have the same note, whoever writes it and when. What does not fit,
 * by another checker, another manifest or damage, is no note. No manifest lists it: a version is whole without it, and a
 * copy with it is as good.
 */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Checksum } from '../checksum.ts'
import { identityOf, sourcesIn } from '../sources.ts'
import { IndexError } from './format.ts'
import type { Manifest } from './manifest.ts'
import { readPlain } from './plain-file.ts'

export const verifiedName = 'checked'

/** The checks, and all that they go by. A test walks their imports. */
export const checkerSources: readonly string[] = ['src', 'src/history', 'src/indexes'].flatMap((name) =>
  sourcesIn(name),
)

/** Made as the checks are loaded: what their files are replaced by later is not what runs. */
const checker = identityOf(checkerSources, ['msgpackr', 'valibot'])

function noteFor({ format, version, asOf, counts, files }: Manifest): string {
  const words = JSON.stringify({ format, version, asOf, counts, files })
  return `${new Checksum().add(Buffer.from(words)).end().sha256}\n${checker}\n`
}

/** True if this checker has found these very files whole. */
export async function isVerified(folder: string, manifest: Manifest): Promise<boolean> {
  const note = await unlessUnreadable(readPlain(join(folder, verifiedName)))
  return note?.toString('utf8') === noteFor(manifest)
}

/** Where the folder can't be written, the next start checks again. */
export async function recordVerified(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, verifiedName)
  // Not into the file that is there: it can be linked from a copy of another version.
  const replace = async () => {
    await rm(path, { force: true })
    await writeFile(path, noteFor(manifest), { flag: 'wx' })
  }
  await unlessUnreadable(replace())
}

/** Without a note all is as it should be, only slower: whatever keeps it from being read or written, nobody need hear of it. */
async function unlessUnreadable<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof IndexError) && (error as NodeJS.ErrnoException).syscall === undefined) throw error
    return undefined
  }
}
