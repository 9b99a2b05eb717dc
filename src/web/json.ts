/** JSON for the scripts of the pages, gzipped if it is large enough and the client accepts that. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { acceptsGzip } from '../http/preconditions.ts'
import { compressedBytesMin } from '../limits.ts'
import type { PageContext } from './site.ts'

const compress = promisify(gzip)

export async function jsonOf(context: PageContext, value: unknown): Promise<Response> {
  const json = Buffer.from(JSON.stringify(value))
  const headers = { 'Content-Type': 'application/json', Vary: 'Accept-Encoding' }
  const accepted = context.req.header('Accept-Encoding')
  if (json.length <= compressedBytesMin || accepted === undefined || !acceptsGzip(accepted)) {
    return context.body(json as Uint8Array<ArrayBuffer>, 200, headers)
  }
  const packed = (await compress(json)) as Uint8Array<ArrayBuffer>
  return context.body(packed, 200, { ...headers, 'Content-Encoding': 'gzip' })
}
