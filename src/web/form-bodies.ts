/**
 * Reads the bodies of forms into memory. Each body is read once, into a buffer of its length. Only the part that has
 * arrived takes memory. All forms with a list together have a bound. There is always room for all other forms, because
 * a connection sends one form at a time.
 *
 *   bodyBytesMax   │ other forms: 16 KB for each connection │ forms with a list │ a list too many: 503
 */
import { bodyBytesMax, formBytesMax, pageConnectionsMax } from '../limits.ts'
import { releaseMemory } from '../platform/memory.ts'
import type { PageContext } from './site.ts'

/** The sender disconnected, or sent less than the form's length. */
export class SenderGone extends Error {}

/** Forms of others take all memory that forms with a list may take. */
export class NoRoom extends Error {}

/** How many bytes of forms with a list this thread holds. */
let held = 0
const heldMax = bodyBytesMax - pageConnectionsMax * formBytesMax

/**
 * The body of a form, whose length `forms.ts` has checked. The body takes room until the response has ended. Rejects
 * with SenderGone or NoRoom.
 */
export function bodyOf(context: PageContext): Promise<Buffer> {
  const known = context.get('body') ?? read(context)
  context.set('body', known)
  return known
}

async function read({ req, env }: PageContext): Promise<Buffer> {
  if (env.outgoing.closed) throw new SenderGone('before the form was read')
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
  // The list stays in memory until the response has ended. The response may be sent in parts.
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
