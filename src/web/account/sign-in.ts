/** Signs people in by a link, and signs them out. */
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { html } from 'hono/html'
import type { EndedLink } from '../../accounts/sign-ins.ts'
import { wrongLinksPerMinuteMax } from '../../limits.ts'
import { pageOf } from '../shared/frame.ts'
import { RateLimit, visitorNetwork } from '../shared/look-ups.ts'
import { problemPage } from '../shared/problem.ts'
import { mayLookUp } from '../shared/search-form.ts'
import {
  cookieAttributes,
  cookieName,
  giveCookie,
  giveFormSecret,
  signedOutPath,
  takeCookie,
  tokenField,
} from '../shared/session.ts'
import type { App, PageContext, Site } from '../site.ts'

const ended = {
  used: 'This sign-in link has already been used, or the operator has cancelled it. Each link works once. Ask the operator for a new one.',
  old: 'This sign-in link has expired: links last 15 minutes. Ask the operator for a new one.',
} as const
const unknown =
  'This sign-in link does not exist. Check that you copied the whole address, or ask the operator for a new one.'

export function signInPages(app: App, site: Site): void {
  /** Counts the wrong links of each network. A right link is never refused because of wrong ones. */
  const wrongLinks = new RateLimit(wrongLinksPerMinuteMax)

  const refuse = (context: PageContext, found: EndedLink | undefined) => {
    if (found !== undefined) return problemPage(site, context, 410, ended[found.state])
    const isWithinLimit = wrongLinks.take(visitorNetwork(site, context), site.clock()) === 0
    if (isWithinLimit) return problemPage(site, context, 404, unknown)
    return context.text('Too many wrong sign-in links.', 429, { 'Retry-After': '60', Connection: 'close' })
  }

  app.get('/sign-in/:token', async (context) => {
    const token = context.req.param('token')
    const found = await site.signIns.findLink(token, site.clock())
    if (found?.state !== 'good') return refuse(context, found)
    const main = html`<div class="panel">
<h1>Sign in as ${found.account.name}</h1>
<p>This link works once: the button uses it up.</p>
<form method="post" action="/sign-in/${token}">
${tokenField(giveFormSecret(site, context))}
<button type="submit" class="primary">Sign in</button>
</form>
<p class="hint">You stay signed in for 12 hours after the last page you open, and for 7 days at most.</p>
</div>`
    return pageOf(site, context, { title: 'Sign in', main, isShort: true })
  })

  app.post('/sign-in/:token', async (context) => {
    const signedIn = await site.signIns.useLink(context.req.param('token'), site.clock())
    if (signedIn === undefined || 'state' in signedIn) return refuse(context, signedIn)
    const { session, account } = signedIn
    await endSessionOf(site, context)
    giveCookie(site, context, session)
    site.log.info({ account: account.name }, 'signed in')
    return context.redirect(takeNextPath(site, context), 303)
  })

  app.post('/sign-out', async (context) => {
    await endSessionOf(site, context)
    takeCookie(site, context)
    return context.redirect(signedOutPath, 303)
  })
}

/** Ends the session of the cookie, if the cookie has one. */
async function endSessionOf({ signIns }: Site, context: PageContext): Promise<void> {
  const token = getCookie(context, cookieName)
  if (token !== undefined) await signIns.endSession(token)
}

/** The cookie with the page that a person without a session opened. Signing in leads to that page. */
const nextCookieName = 'cpl_next'
const nextSecondsMax = 3600
const nextCharsMax = 1000

/**
 * Redirects a person without a session who opens a page of an account. It leads to the same page for strangers, if they
 * may see it, or else home, where the page says how to sign in.
 */
export function withoutSession(site: Site, context: PageContext): Response {
  const { pathname, search } = new URL(context.req.url)
  const twin = /^\/dashboard(\/cards\/[^/]+|\/look-up)$/.exec(pathname)?.[1]
  if (twin !== undefined && mayLookUp(site, context)) return context.redirect(twin + search, 303)
  const path = pathname + search
  if (context.req.method === 'GET' && path.length <= nextCharsMax) {
    setCookie(context, nextCookieName, path, { ...cookieAttributes(site), maxAge: nextSecondsMax })
  }
  return context.redirect('/', 303)
}

/**
 * Returns the page that the person opened without a session, if it is one of an account's pages, or else the dashboard.
 */
function takeNextPath(site: Site, context: PageContext): string {
  const next = getCookie(context, nextCookieName)
  if (next === undefined) return '/dashboard'
  deleteCookie(context, nextCookieName, cookieAttributes(site))
  const { origin, pathname, search } = new URL(next.startsWith('/') ? next : '/', site.url)
  const isOurs = origin === new URL(site.url).origin && /^\/dashboard(\/|$)/.test(pathname)
  return isOurs ? pathname + search : '/dashboard'
}
