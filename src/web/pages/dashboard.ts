/** The dashboard: one page an account, a section a part of it. */
import { html } from 'hono/html'
import type { Account } from '../../store/records.ts'
import { AccountUsage } from '../account-usage.ts'
import type { App } from '../app.ts'
import type { PageContext, Site } from '../site.ts'
import { moment } from './figures.ts'
import { pageOf } from './frame.ts'
import { type KeyForm, keysSection } from './keys.ts'
import { lookUp, nothingAsked } from './look-up.ts'
import { moversSection } from './movers.ts'
import { startSection } from './start.ts'
import { usageNow, usageSection } from './usage.ts'

/** What an open dashboard asks for: it is no page, and prolongs no session. */
export const usagePath = '/dashboard/usage.json'

export function dashboardPages(app: App, site: Site): void {
  const usage = new AccountUsage(site)

  app.get('/dashboard', async (context) => {
    const { session } = context.var
    const found = await lookUp(site, context, context.req.query('q'), context.req.query('page'))
    const keyId = context.req.query('key') ?? ''
    const key = await site.newKeys.take(session, keyId, site.clock())
    const form = key === undefined ? {} : { made: { keyId, key } }
    return dashboard(site, context, usage, form, found)
  })

  app.get(usagePath, async (context) => {
    const { account } = context.var.session
    return context.json(await usageNow(site, usage, account))
  })
}

/** @param form what the form of keys says beside its fields */
export async function dashboard(
  site: Site,
  context: PageContext,
  usage: AccountUsage,
  form: KeyForm = {},
  found = nothingAsked,
): Promise<Response> {
  const { session } = context.var
  const main = html`<h1>${session.account.name}</h1>
${suspension(session.account)}
${await usageSection(site, usage, session.account)}
${keysSection(await usage.keys(session.account.number), session, form, site.clock())}
${found.section}
${await moversSection(site, session.account, context.req.query('game'))}
${startSection(site)}`
  const parts = { styles: ['uplot.css'], scripts: ['uplot.js', 'charts.js', 'usage.js', 'copy.js'] }
  const status = form.wrong === undefined ? found.status : 400
  return pageOf(site, context, { title: session.account.name, main, ...parts }, status)
}

function suspension({ suspendedAt, suspendedFor }: Account) {
  if (suspendedAt === null) return ''
  return html`<section class="panel suspended" role="status" aria-labelledby="suspended">
<h2 id="suspended">This account is suspended</h2>
${suspendedFor === null ? '' : html`<p>${suspendedFor}</p>`}
<p>Requests with its keys have been refused since ${moment(suspendedAt)}. Nothing is deleted. Ask the operator to resume it.</p>
</section>`
}
