/**
 * Opens and reads files that other programs provide, and computes their checksums. It accepts only plain files, because
 * opening a pipe would wait for a writer, and a device has no end.
 */
import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { IndexError } from './format.ts'

/** The length and the checksum of some bytes. */
export interface Sum {
  /** The number of bytes. */
  readonly bytes: number
  /** Hexadecimal. */
  readonly sha256: string
}

export const isSameSum = (a: Sum, b: Sum): boolean => a.bytes === b.bytes && a.sha256 === b.sha256

export class Checksum {
  readonly #hash = createHash('sha256')
  #bytes = 0

  add(chunk: Uint8Array): this {
    this.#hash.update(chunk)
    this.#bytes += chunk.length
    return this
  }

  /** Returns the sum. Call this last: nothing can be added afterwards. */
  end(): Sum {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }
}

export const mustBePlain = 'must be a plain file, or a link to one'

export function kindOf(stats: Stats): string {
  if (stats.isFile()) return 'a file'
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a pipe'
  return stats.isSocket() ? 'a socket' : 'a device'
}

/** Opens a plain file. Throws IndexError for other kinds, or the system's error. The caller must close the handle. */
export async function openPlain(path: string): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new IndexError(`${path} ${mustBePlain} (${kindOf(stats)})`)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * The length of a piece. Hashing a piece takes a quarter of a millisecond. Between pieces, the thread does other work.
 */
const pieceBytes = 512 * 1024

/** The checksum of the file's content. Throws as `openPlain` does. */
export async function checksumOfFile(path: string): Promise<Sum> {
  const handle = await openPlain(path)
  try {
    const sum = new Checksum()
    for await (const piece of piecesOf(handle)) sum.add(piece)
    return sum.end()
  } finally {
    await handle.close()
  }
}

/** The file's content from its start, in pieces. A piece is valid until the next piece is read. */
export async function* piecesOf(handle: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(pieceBytes)
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, pieceBytes, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** The file's content. Throws as `openPlain` does. */
export async function readPlain(path: string): Promise<Buffer> {
  const handle = await openPlain(path)
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}
