/** The files of a snapshot folder, plain or gzip, as streams of bounded chunks. */
import { createReadStream, type ReadStream } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { kindOf, mustBePlain } from '../../src/indexes/plain-file.ts'
import { unpackedBytesFree, unpackedTimesMax } from '../../src/limits.ts'
import type { Problems } from './snapshot-problems.ts'

/** A file that is gzip if its name ends with `.gz`. */
export interface StoredFile {
  readonly name: string
  readonly path: string
  /** The size on the disk, compressed or not. */
  readonly bytes: number
}

/** Its name is the path from the snapshot folder: `cards/a.ndjson`. */
export interface SnapshotFile extends StoredFile {
  readonly ctimeMs: number
}

/** The most bytes that are read at once. */
export const chunkBytes = 1024 * 1024
const bufferBytesMin = 1024
/** An unpacked file is usually about this many times as large as the gzip. */
const unpackedTimesUsual = 16

/**
 * The files `folder/*.extension` and `folder/*.extension.gz` of a snapshot, in name order; none if the folder is
 * missing. Anything but a plain file is a problem, and is never opened: opening a pipe would block.
 */
export async function snapshotFiles(
  snapshots: string,
  folder: string,
  extension: string,
  problems: Problems,
): Promise<SnapshotFile[]> {
  const path = join(snapshots, folder)
  const names = await readdir(path).catch(async (error: unknown): Promise<string[]> => {
    if (!(await isMissing(path))) problems.add(`${folder}:1`, 'line', cannotBeRead(error))
    return []
  })
  const files: SnapshotFile[] = []
  for (const fileName of names.sort()) {
    if (!fileName.endsWith(`.${extension}`) && !fileName.endsWith(`.${extension}.gz`)) continue
    const name = `${folder}/${fileName}`
    const file = await plainFile(snapshots, name, (what, found) => problems.add(`${name}:1`, 'line', what, found))
    if (file !== undefined) files.push(file)
  }
  return files
}

/** The file; undefined if it is missing. Anything but a plain file is a problem. */
export async function snapshotFile(
  snapshots: string,
  name: string,
  problems: Problems,
): Promise<SnapshotFile | undefined> {
  if (await isMissing(join(snapshots, name))) return undefined
  return plainFile(snapshots, name, (what, found) => problems.add(name, 'file', what, found))
}

async function plainFile(
  snapshots: string,
  name: string,
  wrong: (what: string, found?: string) => void,
): Promise<SnapshotFile | undefined> {
  const path = join(snapshots, name)
  try {
    const stats = await stat(path)
    if (stats.isFile()) return { name, path, bytes: stats.size, ctimeMs: stats.ctimeMs }
    wrong(mustBePlain, kindOf(stats))
  } catch (error) {
    wrong(cannotBeRead(error))
  }
  return undefined
}

/** True if nothing has this path. A link that leads nowhere is not missing. */
const isMissing = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )

/** The problem for an error of the system or of zlib. Any other error is thrown again. */
export function cannotBeRead(error: unknown): string {
  if (isReadError(error)) return `can't be read (${error.message})`
  throw error
}

/** The content breaks a bound, or its gzip is wrong. */
class ContentError extends Error {}

/** Errors of the system and of zlib have an `errno`. */
export const isReadError = (error: unknown): error is Error =>
  error instanceof ContentError || typeof (error as NodeJS.ErrnoException).errno === 'number'

/**
 * The file's content, unpacked. Iterating throws errors of the disk, of the gzip, and of bounds. If the caller stops
 * early, the file is closed.
 * @param onBytes gets each chunk as stored on the disk
 */
export async function* openFile(file: StoredFile, onBytes?: (chunk: Buffer) => void): AsyncIterable<Buffer> {
  const stored = createReadStream(file.path, { highWaterMark: bufferBytes(file.bytes) })
  if (onBytes !== undefined) stored.on('data', (chunk) => onBytes(chunk as Buffer))
  yield* file.name.endsWith('.gz') ? unpack(stored, file.bytes) : stored
}

/**
 * The size of a buffer for a file. It is small for a small file: large buffers of thousands of files would keep the
 * garbage collector busy.
 */
const bufferBytes = (fileBytes: number): number => Math.min(chunkBytes, Math.max(bufferBytesMin, fileBytes))

/** Zlib silently stops at a zero byte after a gzip member, so the end is checked here. */
async function* unpack(stored: ReadStream, bytes: number): AsyncGenerator<Buffer> {
  // An error of either stream ends both streams, and the loop throws it. So the callback has nothing to do.
  const unpacked = pipeline(
    stored,
    createGunzip({ chunkSize: bufferBytes(unpackedTimesUsual * bytes) }),
    () => undefined,
  )
  let unpackedBytes = 0
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    unpackedBytes += chunk.length
    // The unpacked bytes are compared with the bytes consumed so far, so that a gzip bomb is recognized early.
    if (unpackedBytes > Math.max(unpackedBytesFree, unpacked.bytesWritten * unpackedTimesMax)) {
      throw new ContentError(
        `the packed data holds more than ${unpackedBytesFree} bytes and ${unpackedTimesMax} times its own`,
      )
    }
    yield chunk
  }
  if (unpacked.bytesWritten < bytes) {
    throw new ContentError(`the packed data ends at byte ${unpacked.bytesWritten} of ${bytes}`)
  }
}
