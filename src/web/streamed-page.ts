/**
 * A page that is sent while parts of it are made. A browser shows what it has, and a script can read how far it has come. Nothing of it
 * is kept, so any server can make it.
 */
import { raw } from 'hono/html'
import type { Html } from './site.ts'

export type Part = string | Uint8Array

/** Stands in a page in the place of each part. No text of a page holds it: signs in texts are escaped. */
const place = '<!--later-->'
export const laterPart = raw(place) as Html

/** @param parts for each `laterPart` in the page, in their order */
export async function streamedPage(
  page: Response,
  parts: readonly (AsyncIterable<Part> | Iterable<Part>)[],
): Promise<Response> {
  return streamed(filled(await page.text(), parts), page)
}

/** @param head has the status and the headers */
export function streamed(parts: AsyncIterable<Part>, head: Pick<Response, 'status' | 'headers'>): Response {
  const headers = new Headers(head.headers)
  // nginx would keep what comes until it has some kilobytes.
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
