/**
 * Notices of the last action, at the top of the next page. The address names the action (`?done=revoked&key=ID`) and the store
 * confirms it, so a forged address shows nothing false.
 */
import { html } from 'hono/html'
import type { Html, PageContext, Site } from './site.ts'

export const keyChanges = ['created', 'renamed', 'regenerated', 'revoked'] as const
export type KeyChange = (typeof keyChanges)[number]

/** Where a change of a key leads. */
export const keysPath = (done: KeyChange, keyId: string): string => `/dashboard/keys?done=${done}&key=${keyId}`

export const giveNotice = (context: PageContext, notice: Html): void => context.set('notice', notice)

export const noticeIn = ({ var: { notice } }: PageContext): Html | '' =>
  notice === undefined ? '' : html`<p role="status" class="notice">${notice}</p>`

/** A key that was renamed or revoked. One that was made is shown with its secret instead. */
export function noticeOfKey(site: Site, context: PageContext): void {
  const { done, key: keyId = '' } = context.req.query()
  const key = site.store.key(keyId)
  if (key === undefined || key.account !== context.var.session.account.number) return
  if (done === 'revoked' && key.revokedAt !== null) giveNotice(context, html`The key <em>${key.name}</em> is revoked.`)
  if (done === 'renamed') giveNotice(context, html`The key is now called <em>${key.name}</em>.`)
}
