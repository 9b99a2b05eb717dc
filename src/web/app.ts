/**
 * The server of the pages. It has the routes of all pages, and what they share: security headers, caching, and checks
 * of forms and sessions.
 *
 *   request ─ headers ─ assets ─ form: from our pages? small? ─ /dashboard: which session? ─ the page
 */
import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import {
  pageConnectionsMax,
  pageHeadBytesMax,
  pageHeadMsMax,
  pageRequestMsMax,
  pageStallMsMax,
  retrySoonSeconds,
} from '../limits.ts'
import { BoundedServer, type Certificate } from '../node-http/bounded-server.ts'
import { StoreError } from '../store/accounts-error.ts'
import { dashboardPages, dataPaths } from './account/dashboard.ts'
import { keyPages } from './account/key-changes.ts'
import { signInPages, withoutSession } from './account/sign-in.ts'
import { logoPolicy } from './assets.ts'
import { cardPages } from './cards/card.ts'
import { lookUpPages } from './cards/look-up.ts'
import { docsPages } from './docs/docs.ts'
import { homePages } from './home/home.ts'
import { valuePages } from './lists/value-page.ts'
import { setPages } from './sets/set.ts'
import { setsPages } from './sets/sets.ts'
import { NoRoom, WrongForm } from './shared/form-reader.ts'
import { isListForm } from './shared/form-table.ts'
import { changesAccount, refusalOfForm, showAgain } from './shared/forms.ts'
import { contentPolicy } from './shared/frame.ts'
import { problemPage } from './shared/problem.ts'
import { sessionIn } from './shared/session.ts'
import { SenderGone } from './shared/turns.ts'
import type { AddPages, App, PageEnv, Site } from './site.ts'

/** The routes of a page that is earlier in this list are tried earlier. */
const pages: readonly AddPages[] = [
  homePages,
  lookUpPages,
  setsPages,
  setPages,
  valuePages,
  docsPages,
  signInPages,
  dashboardPages,
  keyPages,
  cardPages,
]

const accountsAway =
  'Your account can’t be shown or changed right now. Try again soon. Requests to the API are not affected.'

const tooManyForms = 'Many people are sending lists right now, so yours was not read. Try again soon.'

export function makeApp(site: Site): App {
  const app: App = new Hono<PageEnv>()
  app.use(
    secureHeaders({
      xFrameOptions: 'DENY',
      strictTransportSecurity: site.url.startsWith('https:') ? 'max-age=15552000' : false,
      overwrite: false,
    }),
  )
  app.use(async (context, next) => {
    await next()
    const { headers } = context.res
    if (!headers.has('Content-Security-Policy')) headers.set('Content-Security-Policy', contentPolicy())
    if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
  })
  for (const folder of ['/assets/*', '/brand/*']) {
    app.get(folder, async (context) => {
      const asset = site.assets.find(context.req.path)
      if (asset === undefined) return context.text('File not found.', 404)
      if (folder === '/brand/*') context.header('Content-Security-Policy', logoPolicy)
      return asset.send(context, 'public, max-age=31536000, immutable')
    })
  }
  app.use(async (context, next) => {
    // A form is refused here if another site sent it, or if it is too large.
    const refused = context.req.method === 'POST' ? await refusalOfForm(site, context) : undefined
    if (refused === undefined) await next()
    return refused
  })
  app.use('/dashboard/*', async (context, next) => {
    // The page of the list reports that the session has ended, so that the list is not lost.
    if (context.req.method === 'POST' && isListForm(context.req.path)) {
      await next()
      return undefined
    }
    const isPage = !dataPaths.includes(context.req.path)
    const session = await sessionIn(site, context, isPage)
    if (session === undefined) {
      if (!isPage) return context.json({ error: 'signed out' }, 401)
      return changesAccount(context) ? showAgain(site, context) : withoutSession(site, context)
    }
    context.set('session', session)
    await next()
    return undefined
  })
  for (const addPages of pages) addPages(app, site)
  site.desk?.addPages(app, site)
  app.notFound((context) => problemPage(site, context, 404, 'This page does not exist.'))
  app.onError((error, context) => {
    if (error instanceof StoreError) {
      context.header('Retry-After', String(retrySoonSeconds))
      return problemPage(site, context, 503, accountsAway)
    }
    if (error instanceof NoRoom) {
      context.header('Retry-After', String(retrySoonSeconds))
      return problemPage(site, context, 503, tooManyForms)
    }
    if (error instanceof WrongForm) return problemPage(site, context, error.status, error.message)
    if (error instanceof SenderGone) {
      site.log.debug({ reason: error.message }, 'the sender of a form went away')
      return context.body(null, 400)
    }
    // Neither the address nor the form is logged: the address may contain a sign-in link.
    site.log.error({ err: error }, 'a page failed')
    return problemPage(
      site,
      context,
      500,
      'This page failed because of an error on our side. Requests to the API are not affected.',
    )
  })
  return app
}

const bounds = {
  connections: pageConnectionsMax,
  headBytes: pageHeadBytesMax,
  headMs: pageHeadMsMax,
  requestMs: pageRequestMsMax,
  stallMs: pageStallMsMax,
}

/** @param certificate if it is absent, the server speaks plain HTTP as long as it runs */
export const pagesServer = (app: App, certificate: Certificate | undefined): BoundedServer =>
  new BoundedServer(getRequestListener(app.fetch) as RequestListener, bounds, certificate)
