/** Decides whether a list may be valued, by its sender and its size. */
import { html } from 'hono/html'
import type { Dataset } from '../../api/dataset.ts'
import { listBytesMax, listLinesMax, listLinesPerLookUp } from '../../limits.ts'
import { refusalOfLookUp } from '../cards/look-up.ts'
import { sessionIn } from '../shared/session.ts'
import type { PageContext, Site } from '../site.ts'
import { megabytes, type Refusal, refusal, stillHere } from './refusals.ts'

/** Returns the data with which a list of these bytes is valued, or the reason for which the sender may not value it. */
export async function admit(site: Site, context: PageContext, bytes: Uint8Array): Promise<Dataset | Refusal> {
  const refused = await refusalOfAccount(site, context)
  if (refused !== undefined) return refused
  // Allows one more byte for each line, because a browser sends the end of a line as two characters.
  if (bytes.length > listBytesMax + listLinesMax) {
    return refusal(413, `A list has at most ${megabytes}. ${stillHere} Value it in several parts.`)
  }
  const data = await site.data.open()
  if (data === undefined) return refusal(400, `No cards have been published yet. ${stillHere}`)
  const lookUp = context.var.session === undefined ? refusalOfLookUp(site, context) : undefined
  if (lookUp === undefined) return data
  return refusal(429, `${lookUp} ${listLinesPerLookUp} lines count as one card. ${stillHere}`)
}

/** Rejects a list that was sent from an account's page if the session has ended since. */
async function refusalOfAccount(site: Site, context: PageContext): Promise<Refusal | undefined> {
  if (!context.req.path.startsWith('/dashboard/')) return undefined
  const session = await sessionIn(site, context, true)
  if (session === undefined) {
    return refusal(
      401,
      html`Your session has ended. ${stillHere} <a href="/#sign-in" target="_blank">Sign in</a> again in another tab, with a new link from the operator. Then value the list here.`,
    )
  }
  context.set('session', session)
  if (session.account.suspendedAt === null) return undefined
  return refusal(403, `This account is suspended, so its lists are not valued. ${stillHere}`)
}
