/**
 * A page that is sent while its parts are made. A browser shows the parts that it has, and a script can read how many
 * have arrived. The server keeps no part, so any server can make the page.
 */
import { raw } from 'hono/html'
import type { Html } from './site.ts'

export type Part = string | Uint8Array

/**
 * A page has this text in the place of each part. No other text of a page contains it, since `<` in texts is escaped.
 */
const place = '<!--later-->'
export const laterPart = raw(place) as Html

/** @param parts the parts for each `laterPart` of the page, in their order */
export async function streamedPage(
  page: Response,
  parts: readonly (AsyncIterable<Part> | Iterable<Part>)[],
): Promise<Response> {
  return streamed(filled(await page.text(), parts), page)
}

/** @param head the response whose status and headers are used */
export function streamed(parts: AsyncIterable<Part>, head: Pick<Response, 'status' | 'headers'>): Response {
  const headers = new Headers(head.headers)
  // Otherwise, nginx would hold back the parts until it has some kilobytes.
  headers.set('X-Accel-Buffering', 'no')
  return new Response(ReadableStream.from(bytesOf(parts)), { status: head.status, headers })
}

/** The text, with the parts in their places. */
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
  for await (const part of parts) if (part.length > 0) yield typeof part === 'string' ? Buffer.from(part) : part
}
