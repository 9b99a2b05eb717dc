/**
 * Reads the bodies of forms into memory: each once, into a buffer of its length, of which only what has arrived takes memory. All
 * forms with a list together have a bound. All others fit beside them, because a connection sends one at a time.
 *
 *   bodyBytesMax   │ forms of all connections, 16 KB each │ forms with a list … │ one too many: 503
 */
import { bodyBytesMax, formBytesMax, pageConnectionsMax } from '../limits.ts'
import { releaseMemory } from '../platform/memory.ts'
import type { PageContext } from './site.ts'

/** The sender went away, or sent less than it said. */
export class SenderGone extends Error {}

/** The forms of others take all memory that forms may take. */
export class NoRoom extends Error {}

/** Of forms with a list, in this thread. */
let held = 0
const heldMax = bodyBytesMax - pageConnectionsMax * formBytesMax

/** The body; `forms.ts` has looked at its length. It counts until the response has ended. Rejects with SenderGone or NoRoom. */
export function bodyOf(context: PageContext): Promise<Buffer> {
  const known = context.get('body') ?? read(context)
  context.set('body', known)
  return known
}

async function read({ req, env }: PageContext): Promise<Buffer> {
  const length = Number(req.header('Content-Length') ?? 0)
  const isSmall = length <= formBytesMax
  const body = Buffer.allocUnsafeSlow(length)
  let arrived = 0
  const release = () => {
    if (isSmall || arrived === 0) return
    held -= arrived
    arrived = 0
    if (held === 0) releaseMemory()
  }
  // The list is in memory until the response, which may come bit by bit, has ended.
  env.outgoing.once('close', release)
  try {
    for await (const chunk of req.raw.body ?? []) {
      if (!isSmall && held + chunk.length > heldMax) throw new NoRoom('forms of others take all memory for forms')
      body.set(chunk, arrived)
      arrived += chunk.length
      if (!isSmall) held += chunk.length
    }
  } catch (error) {
    release()
    throw error instanceof NoRoom ? error : new SenderGone((error as Error).message)
  }
  if (arrived < length) throw new SenderGone(`${arrived} of ${length} bytes arrived`)
  return body
}
