/** Durable writes: when a function returns, a power failure loses nothing. */
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Checksum, type Sum } from '../plain-file.ts'

/** Returns the checksum when the file's content is on the disk. Its name is durable after `sync`. */
export async function writeSynced(path: string, pieces: Iterable<Uint8Array>): Promise<Sum> {
  const sum = new Checksum()
  const handle = await open(path, 'w')
  try {
    for (const piece of pieces) {
      sum.add(piece)
      await handle.writeFile(piece)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return sum.end()
}

/**
 * Replaces a file atomically.
 * @param beside the path of the temporary file, in the same file system
 */
export async function replaceFile(
  path: string,
  content: Buffer,
  beside = join(dirname(path), `.staging-${basename(path)}`),
): Promise<void> {
  try {
    await writeSynced(beside, [content])
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
  await sync(dirname(path))
}

/** Makes a file's content or a folder's names durable. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
