/**
 * The operator's pages, all under /operator: who may open them, and their tabs. With OPERATOR_PAGES=off, they don't
 * exist, and this module is not loaded.
 */

import { getCookie } from 'hono/cookie'
import { html } from 'hono/html'
import type { EndedLink } from '../../accounts/sign-ins.ts'
import { operatorSessionMsMax } from '../../accounts/sign-ins.ts'
import { wrongLinksPerMinuteMax } from '../../limits.ts'
import { showAgain } from '../shared/forms.ts'
import { pageOf } from '../shared/frame.ts'
import { RateLimit, visitorNetwork } from '../shared/look-ups.ts'
import { problemPage } from '../shared/problem.ts'
import {
  giveFormSecret,
  giveOperatorCookie,
  operatorCookieName,
  operatorSessionIn,
  takeOperatorCookie,
  tokenField,
} from '../shared/session.ts'
import type { App, PageContext, Site } from '../site.ts'
import { accountPages } from './accounts.ts'
import { auditPages } from './audit-log.ts'
import { deskPaths } from './frame.ts'
import { todayPage } from './today.ts'
import { versionPages } from './versions.ts'

const ended = {
  used: 'This sign-in link has already been used, or cancelled. Each link works once.',
  old: 'This sign-in link has expired: links last 15 minutes.',
} as const

const howToSignIn = html`To get a link, run <code>card-prices accounts sign-in --operator</code> on the server.`

export function addDesk(app: App, site: Site): void {
  const { signIns } = site.desk!
  const wrongLinks = new RateLimit(wrongLinksPerMinuteMax)

  const refuse = (context: PageContext, found: EndedLink | undefined) => {
    if (found !== undefined) return problemPage(site, context, 410, html`${ended[found.state]} ${howToSignIn}`)
    const isWithinLimit = wrongLinks.take(visitorNetwork(site, context), site.clock()) === 0
    if (isWithinLimit) return problemPage(site, context, 404, html`This sign-in link does not exist. ${howToSignIn}`)
    return context.text('Too many wrong sign-in links.', 429, { 'Retry-After': '60', Connection: 'close' })
  }

  app.get('/operator/sign-in/:token', async (context) => {
    const token = context.req.param('token')
    const found = await signIns.findLink(token, site.clock())
    if (found?.state !== 'good') return refuse(context, found as EndedLink | undefined)
    const main = html`<div class="panel">
<h1>Sign in as the operator</h1>
<p>This link works once: the button uses it up.</p>
<form method="post" action="/operator/sign-in/${token}">
${tokenField(giveFormSecret(site, context, '/operator/sign-in'))}
<button type="submit" class="primary">Sign in</button>
</form>
<p class="hint">You stay signed in for 1 hour after the last page you open, and for ${operatorSessionMsMax / 3_600_000} hours at most.</p>
</div>`
    return pageOf(site, context, { title: 'Sign in', main, isShort: true })
  })

  app.post('/operator/sign-in/:token', async (context) => {
    const used = await signIns.useLink(context.req.param('token'), site.clock())
    if (used === undefined || 'state' in used) return refuse(context, used)
    await endSessionOf(site, context)
    giveOperatorCookie(site, context, used.session)
    site.log.info('the operator signed in')
    return context.redirect('/operator', 303)
  })

  app.use('/operator/*', async (context, next) => {
    const session = await operatorSessionIn(site, context, true)
    if (session === undefined) {
      return context.req.method === 'POST' ? showAgain(site, context) : signedOutPage(site, context)
    }
    context.set('operator', session)
    await next()
    return undefined
  })

  app.post('/operator/sign-out', async (context) => {
    await endSessionOf(site, context)
    takeOperatorCookie(site, context)
    return context.redirect('/', 303)
  })

  app.get(deskPaths.today, (context) => todayPage(site, context))
  versionPages(app, site)
  accountPages(app, site)
  auditPages(app, site)
}

/** Ends the session of the cookie, if the cookie has one. */
async function endSessionOf({ desk }: Site, context: PageContext): Promise<void> {
  const token = getCookie(context, operatorCookieName)
  if (token !== undefined) await desk!.signIns.endSession(token)
}

/** The page for a person who is not signed in. It does not reveal whether a page below /operator exists. */
function signedOutPage(site: Site, context: PageContext): Response | Promise<Response> {
  const main = html`<div class="panel">
<h1>Sign in</h1>
<p>These pages are the operator’s, and nobody is signed in here. ${howToSignIn}</p>
</div>`
  return pageOf(site, context, { title: 'Sign in', main, isShort: true }, 403)
}
