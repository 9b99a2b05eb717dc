/**
 * Content that all connections share, in one plain and one gzipped copy. Also compresses responses that are not shared.
 */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'hono'
import { acceptsGzip } from '../../http/preconditions.ts'

/** JSON responses of the pages up to this size are not compressed. */
export const compressedBytesMin = 1024

/** The pages' framework accepts no bytes of shared memory. */
type Bytes = Uint8Array<ArrayBuffer>

const compress = promisify(gzip)

export const wantsGzip = (context: Context) => acceptsGzip(context.req.header('Accept-Encoding') ?? 'identity')

export class SharedContent {
  readonly #type: string
  readonly bytes: Buffer
  #compressed: Promise<Buffer> | undefined

  constructor(type: string, bytes: Buffer) {
    this.#type = type
    this.bytes = bytes
  }

  /** Sends the content, gzipped if the client accepts gzip. */
  async send(context: Context, cacheControl: string): Promise<Response> {
    const headers = { 'Content-Type': this.#type, 'Cache-Control': cacheControl, Vary: 'Accept-Encoding' }
    if (!wantsGzip(context)) return context.body(this.bytes as Bytes, 200, headers)
    this.#compressed ??= compress(this.bytes)
    return context.body((await this.#compressed) as Bytes, 200, { ...headers, 'Content-Encoding': 'gzip' })
  }
}

/**
 * Returns the response, gzipped if the client accepts gzip. Never use this for a page that contains both a secret and
 * text from a visitor.
 */
export async function compressed(context: Context, response: Response): Promise<Response> {
  const { status } = response
  const headers = new Headers(response.headers)
  headers.set('Vary', 'Accept-Encoding')
  const bytes = Buffer.from(await response.arrayBuffer())
  if (bytes.length <= compressedBytesMin || !wantsGzip(context)) return new Response(bytes, { status, headers })
  headers.set('Content-Encoding', 'gzip')
  return new Response((await compress(bytes)) as Bytes, { status, headers })
}
