/**
 * Writes files durably: when a function has returned, a power failure loses nothing. Also makes messages for errors of
 * the disk, which name the folder, the error and the remedy.
 */
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Checksum, type Sum } from '../plain-file.ts'

/**
 * Writes a file. Returns its checksum when the content is on the disk. To make the file's name durable, `sync` the
 * folder.
 */
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

/** Replaces a file atomically. @param beside the path of the temporary file, in the same file system */
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

const advice: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on the disk (ENOSPC): free some, then try again',
  EDQUOT: 'the disk quota is used up (EDQUOT): free some space, then try again',
  EFBIG: 'a file would be larger than is allowed (EFBIG): raise the limit, then try again',
  EACCES: "can't be written by this user (EACCES): see to its owner and rights, then try again",
  EPERM: "can't be written by this user (EPERM): see to its owner and rights, then try again",
  EROFS: "lies on a disk that can't be written (EROFS)",
  EIO: 'the disk fails to read or write (EIO): see to the disk',
  EMFILE: 'too many files are open (EMFILE): raise the limit, then try again',
  ENFILE: 'too many files are open (ENFILE): raise the limit, then try again',
  EEXIST: 'must be a folder, and is a file (EEXIST)',
  ENOTDIR: 'must be a folder, and is a file (ENOTDIR)',
}

/**
 * Runs work in a folder. If the system reports an error, which may not name a path, throws an Error of one line that
 * names the folder.
 * @param then the line's words about the state after the error, such as `the served version is as it was`
 */
export async function inFolder<Result>(folder: string, then: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === undefined || syscall === undefined) throw error
    throw new Error(`${folder}: ${diskErrorText(error)}; ${then}`, { cause: error })
  }
}

/** The error in words, and the remedy if it is known. */
export function diskErrorText(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return Object.hasOwn(advice, code) ? advice[code]! : message
}
