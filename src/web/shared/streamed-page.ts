/**
 * A page that is sent while its parts are made. A browser shows the parts that it has, and a script can read how many
 * have arrived. The server keeps no part, so any server can make the page.
 */
import { once } from 'node:events'
import { createGzip } from 'node:zlib'
import { raw } from 'hono/html'
import type { Html, PageContext } from '../site.ts'
import { wantsGzip } from './shared-content.ts'
import { SenderGone } from './turns.ts'

export type Part = string | Uint8Array

/**
 * A page has this text in the place of each part. No other text of a page contains it, since `<` in texts is escaped.
 */
const place = '<!--later-->'
export const laterPart = raw(place) as Html

interface Sending {
  /**
   * The context of the request. If it is set, the response is gzipped for a client that accepts gzip. The response must
   * then not contain both a secret and a visitor's text.
   */
  readonly gzipFor?: PageContext | undefined
}

/** @param parts the parts for each `laterPart` of the page, in their order */
export async function streamedPage(
  page: Response,
  parts: readonly (AsyncIterable<Part> | Iterable<Part>)[],
  sending: Sending = {},
): Promise<Response> {
  return streamed(filled(await page.text(), parts), page, sending)
}

/** @param head the response whose status and headers are used */
export function streamed(
  parts: AsyncIterable<Part>,
  head: Pick<Response, 'status' | 'headers'>,
  { gzipFor }: Sending = {},
): Response {
  const headers = new Headers(head.headers)
  // Otherwise, nginx would buffer the parts until it has some kilobytes.
  headers.set('X-Accel-Buffering', 'no')
  if (gzipFor !== undefined) headers.set('Vary', 'Accept-Encoding')
  const isGzipped = gzipFor !== undefined && wantsGzip(gzipFor)
  if (isGzipped) headers.set('Content-Encoding', 'gzip')
  const bytes = isGzipped ? gzipped(bytesOf(parts)) : bytesOf(parts)
  return new Response(ReadableStream.from(bytes), { status: head.status, headers })
}

/** Flushes each part as it arrives, so that a browser can show it. Other threads do the compression itself. */
async function* gzipped(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip()
  let made: Buffer[] = []
  gzip.on('data', (piece: Buffer) => made.push(piece))
  try {
    for await (const part of parts) {
      gzip.write(part)
      await new Promise<void>((resolve) => gzip.flush(resolve))
      if (made.length > 0) yield Buffer.concat(made)
      made = []
    }
    const ended = once(gzip, 'end')
    gzip.end()
    await ended
    yield Buffer.concat(made)
  } finally {
    gzip.destroy()
  }
}

/** Yields the text, with the parts in their places. */
export async function* filled(
  text: string,
  parts: readonly (AsyncIterable<Part> | Iterable<Part>)[],
): AsyncGenerator<Part> {
  for (const [i, piece] of text.split(place).entries()) {
    yield piece
    yield* parts[i] ?? []
  }
}

async function* bytesOf(parts: AsyncIterable<Part>): AsyncGenerator<Uint8Array> {
  try {
    for await (const part of parts) if (part.length > 0) yield typeof part === 'string' ? Buffer.from(part) : part
  } catch (error) {
    // Nobody reads the response any more, so nobody would read an error.
    if (!(error instanceof SenderGone)) throw error
  }
}
