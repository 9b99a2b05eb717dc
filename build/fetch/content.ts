/** Streams the content of a response: decoded and bounded. Checks gzip files. */

import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { BrokenOff } from '../../src/indexes/sources/exchange.ts'
import { sourceUnpackedBytesMax } from '../../src/limits.ts'
import { excerpt, WrongContent } from './errors.ts'
import type { Answer } from './host.ts'

/** The content exceeds its bound. */
export class TooLong extends Error {}

export const isPacked = ({ headers }: Answer): boolean => (headers['content-encoding'] ?? 'identity') !== 'identity'

/** Throws TooLong above `sentBytesMax` bytes, and BrokenOff for a damaged encoding. */
export async function* contentOf(answer: Answer, sentBytesMax: number): AsyncGenerator<Uint8Array> {
  const pieces = bounded(answer.pieces(), sentBytesMax)
  if (!isPacked(answer)) {
    yield* pieces
    return
  }
  const encoding = answer.headers['content-encoding']!
  if (encoding !== 'gzip')
    throw new BrokenOff(`the response is encoded as ${encoding.slice(0, 20)}, which was not asked for`)
  const gunzip = createGunzip()
  const source = Readable.from(pieces)
  source.on('error', (error) => gunzip.destroy(error))
  try {
    yield* source.pipe(gunzip)
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error
    throw new BrokenOff(`the response's gzip is damaged (${(error as Error).message})`)
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

const errorBytesMax = 4096

/** The start of an error response, for a message. */
export async function errorText(answer: Answer): Promise<string> {
  try {
    return excerpt((await firstBytes(answer, errorBytesMax)).toString('utf8'))
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

/** Unpacks a gzip file without keeping its content. Throws WrongContent if it is damaged. */
export async function checkGzip(path: string): Promise<void> {
  const source = createReadStream(path)
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error))
  let bytes = 0
  try {
    for await (const piece of source.pipe(gunzip)) {
      bytes += (piece as Buffer).length
      if (bytes > sourceUnpackedBytesMax)
        throw new WrongContent(`unpacks to more than ${sourceUnpackedBytesMax / 1e9} GB`)
    }
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error
    throw new WrongContent(`is a damaged gzip (${(error as Error).message})`)
  } finally {
    source.destroy()
    gunzip.destroy()
  }
  if (bytes === 0) throw new WrongContent('is an empty gzip')
}
