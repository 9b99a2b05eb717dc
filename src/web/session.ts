/** Who opens a page: the cookie, and the session behind it. */
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { FoundSession } from '../accounts/sessions.ts'
import { sessionMsMax } from '../limits.ts'
import { StoreError } from '../store/accounts-error.ts'
import type { PageContext, Site } from './site.ts'

export const cookieName = 'cpl_session'

/**
 * Undefined without a session. Rejects with a StoreError if it can't be known now.
 * @param isPage whether a person has opened a page, by which a session lasts longer
 */
export async function sessionIn(site: Site, context: PageContext, isPage: boolean): Promise<FoundSession | undefined> {
  const token = getCookie(context, cookieName)
  return token === undefined ? undefined : site.signIns.findSession(token, site.clock(), isPage)
}

/** For a page that is anybody's: shown as to who has none, if that can't be known now. */
export async function knowSession(site: Site, context: PageContext): Promise<void> {
  try {
    const session = await sessionIn(site, context, true)
    if (session !== undefined) context.set('session', session)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
  }
}

/** The browser may keep it as long as any session lasts; the store knows when it ends. */
export function giveCookie(site: Site, context: PageContext, token: string): void {
  setCookie(context, cookieName, token, { ...attributes(site), maxAge: sessionMsMax / 1000 })
}

export function takeCookie(site: Site, context: PageContext): void {
  deleteCookie(context, cookieName, attributes(site))
}

const attributes = ({ url }: Site) =>
  ({ httpOnly: true, sameSite: 'Lax', path: '/', secure: url.startsWith('https:') }) as const
