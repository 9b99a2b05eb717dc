/** Content that all connections share: one plain copy and one gzipped copy. And JSON, which is sent as such content is. */
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
  async send(context: PageContext, cacheControl: string, isGzippable = true): Promise<Response> {
    const headers = { 'Content-Type': this.#type, 'Cache-Control': cacheControl, Vary: 'Accept-Encoding' }
    const accepted = context.req.header('Accept-Encoding')
    if (!isGzippable || accepted === undefined || !acceptsGzip(accepted)) {
      return context.body(this.bytes as Bytes, 200, headers)
    }
    this.#compressed ??= compress(this.#make())
    return context.body((await this.#compressed) as Bytes, 200, { ...headers, 'Content-Encoding': 'gzip' })
  }
}

/** For the scripts of the pages. Small ones are not gzipped. */
export function jsonOf(context: PageContext, value: unknown): Promise<Response> {
  const json = Buffer.from(JSON.stringify(value))
  return new SharedContent('application/json', () => json).send(context, 'no-store', json.length > compressedBytesMin)
}
