/** The dashboard: one page an account, a section a part of it. */
import { html } from 'hono/html'
import { listKeys } from '../../accounts/registry.ts'
import type { FoundSession } from '../../accounts/sessions.ts'
import { LiveUsage } from '../../quota/live.ts'
import type { App } from '../app.ts'
import type { NewKeys } from '../new-keys.ts'
import type { PageContext, Site } from '../site.ts'
import { pageOf } from './frame.ts'
import { type KeyForm, keysSection } from './keys.ts'
import { lookUp, nothingAsked } from './look-up.ts'
import { startSection } from './start.ts'
import { usageNow, usageSection } from './usage.ts'

/** What an open dashboard asks for: it is no page, and prolongs no session. */
export const usagePath = '/dashboard/usage.json'

export function dashboardPages(app: App, site: Site, newKeys: NewKeys): void {
  const live = new LiveUsage(site.accounts.quota, site.store)

  app.get('/dashboard', async (context) => {
    const { session } = context.var
    const found = await lookUp(site, context, context.req.query('q'), context.req.query('page'))
    const keyId = context.req.query('key') ?? ''
    const key = newKeys.take(session.id, keyId, site.clock())
    const form = key === undefined ? {} : { made: { keyId, key } }
    return dashboard(site, context, live, form, found)
  })

  app.get(usagePath, (context) => {
    const { account } = context.var.session
    return context.json(usageNow(site, live, account))
  })
}

/** @param form what the form of keys says beside its fields */
export function dashboard(
  site: Site,
  context: PageContext,
  live: LiveUsage,
  form: KeyForm = {},
  found = nothingAsked,
): Response | Promise<Response> {
  const { session } = context.var
  const main = html`<h1>${session.account.name}</h1>
${usageSection(site, live, session.account)}
${keys(site, session, form)}
${found.section}
${startSection(site)}`
  const parts = { styles: ['uplot.css'], scripts: ['uplot.js', 'charts.js', 'usage.js', 'copy.js'] }
  const status = form.wrong === undefined ? found.status : 400
  return pageOf(site, context, { title: session.account.name, main, ...parts }, status)
}

const keys = (site: Site, session: FoundSession, form: KeyForm) =>
  keysSection(listKeys(site.store, session.account.number, site.clock()), session, form, site.clock())
