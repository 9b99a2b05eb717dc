/** The checksum of a file on the disk, a small piece at a time: who does it beside other work holds up nobody. */
import type { FileHandle } from 'node:fs/promises'
import { Checksum, type Sum } from '../checksum.ts'
import { openPlain } from './plain-file.ts'

/** Between two turns of the event loop: a quarter of a millisecond to hash. */
const readBytes = 512 * 1024

/** Throws IndexError for what is no plain file, or the system's error. */
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

/** Of a file from its start, each good until the next one. */
export async function* piecesOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(readBytes)
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, readBytes, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
