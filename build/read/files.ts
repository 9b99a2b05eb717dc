/** The files of a snapshot folder, in name order, plain or gzip, as streams of bounded chunks. */
import { createReadStream, type ReadStream } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { checksumOf } from '../../src/checksum.ts'
import { kindOf, mustBePlain, openPlain } from '../../src/indexes/plain-file.ts'
import { blankBytesMax, unpackedBytesFree, unpackedTimesMax } from '../../src/limits.ts'
import type { Problems } from './problems.ts'

/** What is opened; its name tells whether it is packed. */
export interface StoredFile {
  readonly name: string
  readonly path: string
  /** Of the file as it lies there, compressed or not. */
  readonly bytes: number
}

/** Its name is as the operator sees it from the snapshot folder: `cards/a.ndjson`. */
export interface SnapshotFile extends StoredFile {
  readonly mtimeMs: number
  readonly ctimeMs: number
}

/** The longest piece that is read at a time. */
export const chunkBytes = 1024 * 1024
const roomBytesMin = 1024
/** A packed file holds about so many times its size. */
const unpackedTimesUsual = 16

/**
 * The files `folder/*.extension` and `folder/*.extension.gz` of a snapshot, in name order; none if the folder is
 * missing. What is no plain file is a problem and is never opened: a pipe would be waited for without end.
 */
export async function snapshotFiles(
  snapshots: string,
  folder: string,
  extension: string,
  problems: Problems,
): Promise<SnapshotFile[]> {
  const names = await namesIn(snapshots, folder, problems)
  const wanted = names.filter((name) => name.endsWith(`.${extension}`) || name.endsWith(`.${extension}.gz`)).sort()
  const files: SnapshotFile[] = []
  for (const wantedName of wanted) {
    const name = `${folder}/${wantedName}`
    const file = await plainFile(snapshots, name, (what, found) => problems.add(name, 1, 'line', what, found))
    if (file !== undefined) files.push(file)
  }
  return files
}

/** The one file of that name, undefined if there is none, or it is no plain file, which is a problem. */
export async function snapshotFile(
  snapshots: string,
  name: string,
  problems: Problems,
): Promise<SnapshotFile | undefined> {
  const isMissing = await lstat(join(snapshots, name)).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )
  if (isMissing) return undefined
  return plainFile(snapshots, name, (what, found) => problems.add(name, undefined, 'file', what, found))
}

async function plainFile(
  snapshots: string,
  name: string,
  wrong: (what: string, found?: string) => void,
): Promise<SnapshotFile | undefined> {
  const path = join(snapshots, name)
  try {
    const stats = await stat(path)
    if (stats.isFile()) return { name, path, bytes: stats.size, mtimeMs: stats.mtimeMs, ctimeMs: stats.ctimeMs }
    wrong(mustBePlain, kindOf(stats))
  } catch (error) {
    if (await isLinkToNothing(path, error)) wrong(mustBePlain, 'a link to nothing')
    else wrong(cannotBeRead(error))
  }
  return undefined
}

async function namesIn(snapshots: string, folder: string, problems: Problems): Promise<string[]> {
  const path = join(snapshots, folder)
  try {
    return await readdir(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (await isLinkToNothing(path, error)) problems.add(folder, 1, 'line', 'must be a folder', 'a link to nothing')
    else if (code === 'ENOTDIR') problems.add(folder, 1, 'line', 'must be a folder', kindOf(await stat(path)))
    else if (code !== 'ENOENT') problems.add(folder, 1, 'line', cannotBeRead(error))
    return []
  }
}

async function isLinkToNothing(path: string, error: unknown): Promise<boolean> {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return false
  return lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  )
}

/** What is wrong with a file, or a line, that the system or zlib failed to read; any other error is thrown on. */
export function cannotBeRead(error: unknown): string {
  if (isReadError(error)) return `can't be read (${error.message})`
  throw error
}

/** The bytes could be read and make no sense: the message says why. */
class ContentError extends Error {}

/** The system's errors and zlib's have a number. */
export const isReadError = (error: unknown): error is Error =>
  error instanceof ContentError || typeof (error as NodeJS.ErrnoException).errno === 'number'

/**
 * The file's content, unpacked. Whatever goes wrong, with the disk, the packing or a bound, is thrown to who reads, and
 * who stops early closes all of it. `onBytes` sees each piece as it lies on the disk, for a checksum or for progress.
 */
export async function* openFile(file: StoredFile, onBytes?: (piece: Buffer) => void): AsyncIterable<Buffer> {
  const stored = openStored(file)
  const onData = onBytes as ((piece: string | Buffer) => void) | undefined
  if (onData !== undefined) stored.on('data', onData)
  try {
    yield* boundBlanks(file.name.endsWith('.gz') ? unpack(stored, file.bytes) : stored)
  } finally {
    // A piece may still be on its way from the disk, and a checksum that was ended takes none.
    if (onData !== undefined) stored.off('data', onData)
  }
}

/** The same, but a piece is good only until the next one is taken: memory need not be found and cleared for each. */
export function readPieces(file: StoredFile, onBytes: (piece: Buffer) => void): AsyncIterable<Buffer> {
  return file.name.endsWith('.gz') ? openFile(file, onBytes) : boundBlanks(readStored(file, onBytes))
}

async function* readStored(file: StoredFile, onBytes: (piece: Buffer) => void): AsyncGenerator<Buffer> {
  const handle = await openPlain(file.path)
  try {
    const room = Buffer.allocUnsafeSlow(roomFor(file.bytes))
    for (;;) {
      const { bytesRead } = await handle.read(room, 0, room.length, null)
      if (bytesRead === 0) return
      const piece = room.subarray(0, bytesRead)
      onBytes(piece)
      yield piece
    }
  } finally {
    await handle.close()
  }
}

/** SHA-256 of the file as it lies there, hexadecimal; undefined if it can't be read: who reads it next says why. */
export async function sha256Of(file: SnapshotFile): Promise<string | undefined> {
  try {
    return (await checksumOf(openStored(file))).sha256
  } catch (error) {
    if (!isReadError(error)) throw error
    return undefined
  }
}

const openStored = (file: StoredFile): ReadStream => createReadStream(file.path, { highWaterMark: roomFor(file.bytes) })

/** What is read at a time of so many bytes: the garbage of thousands of small files would keep the collector busy. */
const roomFor = (bytes: number): number => Math.min(chunkBytes, Math.max(roomBytesMin, bytes))

/** Zlib stops without a word at a zero after the packed data, even if more packed data follows. */
async function* unpack(stored: ReadStream, bytes: number): AsyncGenerator<Buffer> {
  // Each side ends with the other, and the error of either is thrown by the loop over the last: none is left to handle.
  const unpacked = pipeline(stored, createGunzip({ chunkSize: roomFor(unpackedTimesUsual * bytes) }), () => undefined)
  let unpackedBytes = 0
  for await (const piece of unpacked as AsyncIterable<Buffer>) {
    unpackedBytes += piece.length
    // Of what was taken so far: what would unpack to gigabytes is known by its beginning.
    if (unpackedBytes > unpackedBytesMax(unpacked.bytesWritten)) throw unpackedTooLarge()
    yield piece
  }
  checkPackedEnd(unpacked.bytesWritten, bytes)
}

/** The most that so many packed bytes may unpack to. */
export const unpackedBytesMax = (bytes: number): number => Math.max(unpackedBytesFree, bytes * unpackedTimesMax)

export const unpackedTooLarge = (): Error =>
  new ContentError(`the packed data holds more than ${unpackedBytesFree} bytes and ${unpackedTimesMax} times its own`)

/** Throws if zlib took less than there is. */
export function checkPackedEnd(taken: number, bytes: number): void {
  if (taken < bytes) throw new ContentError(`the packed data ends at byte ${taken} of ${bytes}`)
}

/** Readers take a blank line for nothing: hundreds of millions of them would keep one busy for minutes, without a word. */
async function* boundBlanks(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let blanks = 0
  for await (const piece of pieces) {
    let start = 0
    while (start < piece.length && piece[start]! <= lastBlank) start++
    blanks += start
    if (blanks > blankBytesMax) throw new ContentError(`more than ${blankBytesMax} bytes of blank lines on end`)
    if (start < piece.length) {
      let end = piece.length
      while (piece[end - 1]! <= lastBlank) end--
      blanks = piece.length - end
    }
    yield piece
  }
}

/** A space; below it are line breaks, and what no text has. */
const lastBlank = 0x20
