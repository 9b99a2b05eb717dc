/** The session of a request, by its cookies; and the token by which a form proves that a page of ours has it. */
import { hash } from 'node:crypto'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { html } from 'hono/html'
import {
  type FoundSession,
  makeToken,
  type OperatorSession,
  operatorSessionMsMax,
  sessionMsMax,
} from '../accounts/sign-ins.ts'
import { StoreError } from '../store/accounts-error.ts'
import type { PageContext, Site } from './site.ts'

export const cookieName = 'cpl_session'
export const operatorCookieName = 'cpl_operator'
const formCookieName = 'cpl_form'

/**
 * Undefined without a session. Rejects with a StoreError if it can't be known now.
 * @param isPage whether a person has opened a page, by which a session lasts longer
 */
export async function sessionIn(site: Site, context: PageContext, isPage: boolean): Promise<FoundSession | undefined> {
  const token = getCookie(context, cookieName)
  return token === undefined ? undefined : site.signIns.findSession(token, site.clock(), isPage)
}

/** Whether the page has one thing to do: signing in. */
export const signsIn = (site: Site, { req: { path } }: PageContext): boolean =>
  path.startsWith('/sign-in/') || (site.desk !== undefined && path.startsWith('/operator/sign-in/'))

export const signedOutPath = '/?signed-out'

/**
 * Finds the session for a page that everybody may open. If the store can't be asked, the page is shown as without a session. A
 * visitor whose session has ended reads so, once: the dashboard redirects to such a page, and the cookie is still set.
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

/** The browser may keep it as long as any session lasts; the store knows when it ends. */
export function giveCookie(site: Site, context: PageContext, token: string): void {
  setCookie(context, cookieName, token, { ...cookieAttributes(site), maxAge: sessionMsMax / 1000 })
}

export function takeCookie(site: Site, context: PageContext): void {
  deleteCookie(context, cookieName, cookieAttributes(site))
}

/** Only pages below this path get the cookie, and only from pages of ours. */
const operatorAttributes = (site: Site) =>
  ({ ...cookieAttributes(site), path: '/operator', sameSite: 'Strict' }) as const

/** As `sessionIn`, of the operator. Call it only where there is a desk. */
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

/** The secret behind a form where there is no session, known to this browser alone. Undefined if it was never given. */
export const formSecretIn = (context: PageContext): string | undefined =>
  getCookie(context, formCookieName) || undefined

/**
 * The secret, created if the browser has none. A browser that sends Sec-Fetch-Site needs none.
 * @param path below which the forms are
 */
export function giveFormSecret(site: Site, context: PageContext, path = '/sign-in'): string | undefined {
  if (context.req.header('Sec-Fetch-Site') !== undefined) return undefined
  const known = formSecretIn(context)
  if (known !== undefined) return known
  const { token } = makeToken()
  setCookie(context, formCookieName, token, { ...cookieAttributes(site), path })
  return token
}

/** The token that tells a form from another site's. @param secret of the session, or else of the browser */
export const formToken = (secret: string): string => hash('sha256', `form ${secret}`, 'base64url')

/** A hidden field of each form, for browsers that send neither Origin nor Sec-Fetch-Site. */
export const tokenField = (secret: string | undefined) =>
  secret === undefined ? '' : html`<input type="hidden" name="form" value="${formToken(secret)}">`

export const cookieAttributes = ({ url }: Site) =>
  ({ httpOnly: true, sameSite: 'Lax', path: '/', secure: url.startsWith('https:') }) as const
