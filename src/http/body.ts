/** Reads the body of a request, up to a bound. The library's chunks are gone after their callback, so they are copied. */
import type { HttpResponse } from 'uWebSockets.js'

/**
 * Calls `onBody` once: with the whole body, or with undefined as soon as it is longer than `bytesMax`. Neither is called
 * if the client leaves before. `onAborted` is called then, and only then.
 */
export function readBody(
  response: HttpResponse,
  bytesMax: number,
  onBody: (body: Uint8Array | undefined) => void,
  onAborted: () => void,
): void {
  const chunks: Buffer[] = []
  let bytes = 0
  let settled = false
  response.onAborted(() => {
    if (settled) return
    settled = true
    onAborted()
  })
  response.onData((chunk, isLast) => {
    if (settled) return
    bytes += chunk.byteLength
    if (bytes <= bytesMax) chunks.push(Buffer.from(Buffer.from(chunk)))
    if (bytes <= bytesMax && !isLast) return
    settled = true
    onBody(bytes <= bytesMax ? Buffer.concat(chunks) : undefined)
  })
}
