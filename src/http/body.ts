/** Reads the body of a request, up to a bound. */
import type { HttpResponse } from './uws.ts'

/**
 * Calls `onBody` once: with the whole body, valid until it returns, or with undefined as soon as the body is longer than
 * `bytesMax`. Does not call it if the client disconnects. The caller must have set the response's onAborted.
 */
export function readBody(
  response: HttpResponse,
  bytesMax: number,
  onBody: (body: Uint8Array | undefined) => void,
): void {
  let chunks: Uint8Array[] | undefined
  let bytes = 0
  let settled = false
  response.onData((chunk, isLast) => {
    if (settled) return
    bytes += chunk.byteLength
    if (bytes > bytesMax) {
      settled = true
      onBody(undefined)
    } else if (!isLast) {
      // The library reuses the chunk's memory after this call.
      chunks ??= []
      chunks.push(new Uint8Array(chunk.slice(0)))
    } else {
      settled = true
      const last = new Uint8Array(chunk)
      onBody(chunks === undefined ? last : Buffer.concat([...chunks, last]))
    }
  })
}
