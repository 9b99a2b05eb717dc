/** Who opens a page: the cookie, and the session behind it. */
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { type FoundSession, findSession } from '../accounts/sessions.ts'
import { sessionMsMax } from '../limits.ts'
import type { PageContext, Site } from './site.ts'

export const cookieName = 'cpl_session'

/** Undefined without a session. @param isPage whether a person has opened a page, by which a session lasts longer */
export function sessionIn(site: Site, context: PageContext, isPage: boolean): FoundSession | undefined {
  const token = getCookie(context, cookieName)
  return token === undefined ? undefined : findSession(site.store, token, site.clock(), isPage)
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
