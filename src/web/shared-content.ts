/** Content that all connections share: one plain copy and one gzipped copy. And responses that are compressed each. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { acceptsGzip } from '../http/preconditions.ts'
import { compressedBytesMin } from '../limits.ts'
import type { PageContext } from './site.ts'

/** Of an ordinary buffer, as the pages' framework wants it. */
type Bytes = Uint8Array<ArrayBuffer>

const compress = promisify(gzip)

export class SharedContent {
  readonly #type: string
  readonly #make: () => Buffer
  #plain: Buffer | undefined
  #compressed: Promise<Buffer> | undefined

  /** @param make called when either copy is first asked for */
  constructor(type: string, make: () => Buffer) {
    this.#type = type
    this.#make = make
  }

  get bytes(): Buffer {
    this.#plain ??= this.#make()
    return this.#plain
  }

  /** Gzipped if the client accepts that. */
  async send(context: PageContext, cacheControl: string): Promise<Response> {
    const headers = { 'Content-Type': this.#type, 'Cache-Control': cacheControl, Vary: 'Accept-Encoding' }
    const accepted = context.req.header('Accept-Encoding')
    if (accepted === undefined || !acceptsGzip(accepted)) {
      return context.body(this.bytes as Bytes, 200, headers)
    }
    this.#compressed ??= compress(this.#make())
    return context.body((await this.#compressed) as Bytes, 200, { ...headers, 'Content-Encoding': 'gzip' })
  }
}

/** The response, gzipped if the client accepts that. Not for pages with a secret and texts that a visitor sends. */
export async function compressed(context: PageContext, response: Response): Promise<Response> {
  const { status } = response
  const headers = new Headers(response.headers)
  headers.set('Vary', 'Accept-Encoding')
  const bytes = Buffer.from(await response.arrayBuffer())
  const isPlain =
    bytes.length <= compressedBytesMin || !acceptsGzip(context.req.header('Accept-Encoding') ?? 'identity')
  if (isPlain) return new Response(bytes, { status, headers })
  headers.set('Content-Encoding', 'gzip')
  return new Response((await compress(bytes)) as Bytes, { status, headers })
}
