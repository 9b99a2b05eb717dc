/** Durable writes: when a function returns, a power failure loses nothing. */
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Checksum, type Sum } from '../plain-file.ts'

/** Joins smaller pieces, because a system call takes longer than a copy. */
const gatheredBytes = 256 * 1024

/**
 * Returns the checksum when the file's content is on the disk. Its name is durable after `sync`.
 * @param pieces each valid until the next one
 */
export async function writeSynced(path: string, pieces: Iterable<Uint8Array>): Promise<Sum> {
  const sum = new Checksum()
  const handle = await open(path, 'w')
  try {
    for (const piece of gathered(pieces)) {
      sum.add(piece)
      for (let at = 0; at < piece.length; ) at += (await handle.write(piece, at)).bytesWritten
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return sum.end()
}

/** The same bytes in fewer pieces, each valid until the next one. */
function* gathered(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  const room = Buffer.allocUnsafe(gatheredBytes)
  let bytes = 0
  for (const piece of pieces) {
    if (bytes > 0 && bytes + piece.length > gatheredBytes) {
      yield room.subarray(0, bytes)
      bytes = 0
    }
    if (piece.length > gatheredBytes) yield piece
    else {
      room.set(piece, bytes)
      bytes += piece.length
    }
  }
  if (bytes > 0) yield room.subarray(0, bytes)
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
