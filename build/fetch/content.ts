/** The content of an answer as it streams by: unpacked where it was packed for its way, and bounded. */
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { BrokenOff } from '../../src/indexes/sources/exchange.ts'
import { excerpt } from './fetch-error.ts'
import type { Answer } from './host.ts'

/** What is sent is more than may be. */
export class TooLong extends Error {}

export const isPacked = ({ headers }: Answer): boolean => (headers['content-encoding'] ?? 'identity') !== 'identity'

/** Throws TooLong if more than `sentBytesMax` are sent, and BrokenOff for an encoding that is damaged. */
export async function* contentOf(answer: Answer, sentBytesMax: number): AsyncGenerator<Uint8Array> {
  const pieces = bounded(answer.pieces(), sentBytesMax)
  if (!isPacked(answer)) {
    yield* pieces
    return
  }
  const encoding = answer.headers['content-encoding']!
  if (encoding !== 'gzip') throw new BrokenOff(`the answer came encoded as ${encoding.slice(0, 20)}, unasked`)
  const gunzip = createGunzip()
  const source = Readable.from(pieces)
  source.on('error', (error) => gunzip.destroy(error))
  try {
    yield* source.pipe(gunzip)
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error
    throw new BrokenOff(`the answer's gzip is damaged (${(error as Error).message})`)
  } finally {
    source.destroy()
    gunzip.destroy()
  }
}

async function* bounded(pieces: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    if (bytes > bytesMax) throw new TooLong()
    yield piece
  }
}

const wordsBytesMax = 4096

/** What a refusal says, as far as it is read. */
export async function errorText(answer: Answer): Promise<string> {
  try {
    return excerpt((await firstBytes(answer, wordsBytesMax)).toString('utf8'))
  } catch {
    return ''
  }
}

export async function firstBytes(answer: Answer, bytesMax: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of contentOf(answer, bytesMax)) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes >= bytesMax) break
  }
  return Buffer.concat(pieces).subarray(0, bytesMax)
}
