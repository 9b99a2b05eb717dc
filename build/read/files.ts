/** The files of a snapshot folder, plain or gzip, as streams of bounded chunks. */
import { createReadStream, type ReadStream } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { kindOf, mustBePlain } from '../../src/indexes/plain-file.ts'
import { unpackedBytesFree, unpackedTimesMax } from '../../src/limits.ts'
import type { Problems } from './snapshot-problems.ts'

/** A name that ends in `.gz` means gzip. */
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

/** The most that is read at a time. */
export const chunkBytes = 1024 * 1024
const bufferBytesMin = 1024
/** About how much larger an unpacked file is. */
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

/** Undefined if there is no such file. Anything but a plain file is a problem. */
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

/** False for a link that leads nowhere. */
const isMissing = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )

/** The problem for an error of the system or of zlib. Throws any other error on. */
export function cannotBeRead(error: unknown): string {
  if (isReadError(error)) return `can't be read (${error.message})`
  throw error
}

/** The content breaks a bound, or the gzip. */
class ContentError extends Error {}

/** Errors of the system and of zlib have an `errno`. */
export const isReadError = (error: unknown): error is Error =>
  error instanceof ContentError || typeof (error as NodeJS.ErrnoException).errno === 'number'

/**
 * The file's content, unpacked. Iterating throws errors of the disk, of the gzip, and of bounds. Stopping early closes the file.
 * @param onBytes gets each chunk as it is on the disk
 */
export async function* openFile(file: StoredFile, onBytes?: (chunk: Buffer) => void): AsyncIterable<Buffer> {
  const stored = createReadStream(file.path, { highWaterMark: bufferBytes(file.bytes) })
  if (onBytes !== undefined) stored.on('data', (chunk) => onBytes(chunk as Buffer))
  yield* file.name.endsWith('.gz') ? unpack(stored, file.bytes) : stored
}

/** Small for a small file: the buffers of thousands of files would keep the garbage collector busy. */
const bufferBytes = (fileBytes: number): number => Math.min(chunkBytes, Math.max(bufferBytesMin, fileBytes))

/** Zlib silently stops at a zero byte after a gzip member, so the end is checked here. */
async function* unpack(stored: ReadStream, bytes: number): AsyncGenerator<Buffer> {
  // Either stream's error ends both, and the loop throws it. So the callback has nothing to do.
  const unpacked = pipeline(
    stored,
    createGunzip({ chunkSize: bufferBytes(unpackedTimesUsual * bytes) }),
    () => undefined,
  )
  let unpackedBytes = 0
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    unpackedBytes += chunk.length
    // Compared with the bytes consumed so far, so that a bomb is recognized early.
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
