/** Streams the content of a response: decoded and bounded. Checks gzip files. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type Exchange, Interrupted } from '../../src/indexes/origins/http-exchange.ts'
import { excerpt, WrongContent } from './fetch-errors.ts'
import { sourceUnpackedBytesMax } from './fetch-limits.ts'

/** The content of a response exceeds its bound. */
export class TooLong extends Error {}

export const isPacked = ({ headers }: Exchange): boolean => (headers['content-encoding'] ?? 'identity') !== 'identity'

/**
 * The decoded content of a response. Throws TooLong above `sentBytesMax` bytes, and Interrupted for a damaged encoding.
 */
export async function* contentOf(response: Exchange, sentBytesMax: number): AsyncGenerator<Uint8Array> {
  const chunks = bounded(response.pieces(), sentBytesMax)
  if (!isPacked(response)) {
    yield* chunks
    return
  }
  const encoding = response.headers['content-encoding']!
  if (encoding !== 'gzip')
    throw new Interrupted(`the response is encoded as ${encoding.slice(0, 20)}, which was not asked for`)
  yield* unpacked(Readable.from(chunks), (why) => new Interrupted(`the response's gzip is damaged (${why})`))
}

/** @param damaged makes the error of a damaged gzip */
async function* unpacked(source: Readable, damaged: (why: string) => Error): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error))
  try {
    yield* source.pipe(gunzip)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw code?.startsWith('Z_') ? damaged(message) : error
  } finally {
    source.destroy()
    gunzip.destroy()
  }
}

async function* bounded(chunks: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new TooLong()
    yield chunk
  }
}

const errorBytesMax = 4096

/** The start of an error response, for a message. */
export async function errorText(response: Exchange): Promise<string> {
  try {
    return excerpt((await firstBytes(response, errorBytesMax)).toString('utf8'))
  } catch {
    return ''
  }
}

export async function firstBytes(response: Exchange, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of contentOf(response, bytesMax)) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= bytesMax) break
  }
  return Buffer.concat(chunks).subarray(0, bytesMax)
}

/** Unpacks a gzip file without keeping its content. Throws WrongContent if it is damaged. */
export async function checkGzip(path: string): Promise<void> {
  let bytes = 0
  for await (const chunk of unpacked(createReadStream(path), (why) => new WrongContent(`is a damaged gzip (${why})`))) {
    bytes += chunk.length
    if (bytes > sourceUnpackedBytesMax)
      throw new WrongContent(`unpacks to more than ${sourceUnpackedBytesMax / 1e9} GB`)
  }
  if (bytes === 0) throw new WrongContent('is an empty gzip')
}
