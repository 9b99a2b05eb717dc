/**
 * Finds the session of a request by its cookies. Also makes the token by which a form proves that one of our pages sent
 * it.
 */
import { hash } from 'node:crypto'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { html } from 'hono/html'
import {
  type FoundSession,
  makeToken,
  type OperatorSession,
  operatorSessionMsMax,
  sessionMsMax,
} from '../../accounts/sign-ins.ts'
import { StoreError } from '../../store/accounts-error.ts'
import type { PageContext, Site } from '../site.ts'

export const cookieName = 'cpl_session'
export const operatorCookieName = 'cpl_operator'
const formCookieName = 'cpl_form'

/**
 * Returns the session; undefined if there is none. Rejects with a StoreError if the database is unavailable.
 * @param isPage true if a person opened a page; the session then lasts longer
 */
export async function sessionIn(site: Site, context: PageContext, isPage: boolean): Promise<FoundSession | undefined> {
  const token = getCookie(context, cookieName)
  return token === undefined ? undefined : site.signIns.findSession(token, site.clock(), isPage)
}

/** True if the page is only for signing in. */
export const signsIn = (site: Site, { req: { path } }: PageContext): boolean =>
  path.startsWith('/sign-in/') || (site.desk !== undefined && path.startsWith('/operator/sign-in/'))

export const signedOutPath = '/?signed-out'

/**
 * Finds the session for a page that everybody may open. If the database is unavailable, the page is shown as if there
 * were no session. The dashboard redirects to such a page after a session has ended. The cookie is still set then, so
 * the page tells the visitor once that the session has ended.
 */
export async function knowSession(site: Site, context: PageContext): Promise<void> {
  try {
    const session = await sessionIn(site, context, true)
    if (session !== undefined) return context.set('session', session)
    if (getCookie(context, cookieName)) {
      takeCookie(site, context)
      context.set('notice', html`Your session has ended. To sign in again, ask the operator for a new link.`)
    } else if (context.req.query('signed-out') !== undefined) context.set('notice', html`You are signed out.`)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
  }
}

/**
 * Sets the session's cookie. The browser may keep it as long as any session can last. The store knows when this session
 * ends.
 */
export function giveCookie(site: Site, context: PageContext, token: string): void {
  setCookie(context, cookieName, token, { ...cookieAttributes(site), maxAge: sessionMsMax / 1000 })
}

export function takeCookie(site: Site, context: PageContext): void {
  deleteCookie(context, cookieName, cookieAttributes(site))
}

/** The browser sends the operator's cookie only to pages below this path, and only from pages of ours. */
const operatorAttributes = (site: Site) =>
  ({ ...cookieAttributes(site), path: '/operator', sameSite: 'Strict' }) as const

/** Does what `sessionIn` does, for the operator. Call this only if the operator's pages are on (`site.desk`). */
export async function operatorSessionIn(
  site: Site,
  context: PageContext,
  isPage: boolean,
): Promise<OperatorSession | undefined> {
  const token = getCookie(context, operatorCookieName)
  return token === undefined ? undefined : site.desk!.signIns.findSession(token, site.clock(), isPage)
}

export function giveOperatorCookie(site: Site, context: PageContext, token: string): void {
  setCookie(context, operatorCookieName, token, { ...operatorAttributes(site), maxAge: operatorSessionMsMax / 1000 })
}

export function takeOperatorCookie(site: Site, context: PageContext): void {
  deleteCookie(context, operatorCookieName, operatorAttributes(site))
}

/**
 * Returns the secret from which the token of a form without a session is made. Only this browser has it. Undefined if
 * the browser never got one.
 */
export const formSecretIn = (context: PageContext): string | undefined =>
  getCookie(context, formCookieName) || undefined

/**
 * Returns the browser's secret, and makes one if there is none. A browser that sends Sec-Fetch-Site needs no secret.
 * @param path the path below which the forms are
 */
export function giveFormSecret(site: Site, context: PageContext, path = '/sign-in'): string | undefined {
  if (context.req.header('Sec-Fetch-Site') !== undefined) return undefined
  const known = formSecretIn(context)
  if (known !== undefined) return known
  const { token } = makeToken()
  setCookie(context, formCookieName, token, { ...cookieAttributes(site), path })
  return token
}

/**
 * Returns the token that proves that a form is ours and not another site's.
 * @param secret the session's id, else the browser's secret
 */
export const formToken = (secret: string): string => hash('sha256', `form ${secret}`, 'base64url')

/** The hidden field of each form with its token. Browsers that send `Origin: null` and no Sec-Fetch-Site need it. */
export const tokenField = (secret: string | undefined) =>
  secret === undefined ? '' : html`<input type="hidden" name="form" value="${formToken(secret)}">`

export const cookieAttributes = ({ url }: Site) =>
  ({ httpOnly: true, sameSite: 'Lax', path: '/', secure: url.startsWith('https:') }) as const
