/** Computes the checksum of a file in small pieces, so that other work of the thread continues. */
import type { FileHandle } from 'node:fs/promises'
import { Checksum, type Sum } from '../checksum.ts'
import { openPlain } from './plain-file.ts'

/** Hashing so many bytes takes a quarter of a millisecond. */
const readBytes = 512 * 1024

/** Throws IndexError if it is no plain file, or the system's error. */
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

/** The file's content from its start. A piece is valid until the next one. */
export async function* piecesOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(readBytes)
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, readBytes, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
