/** The dashboard: one page an account, a section a part of it. */
import { html } from 'hono/html'
import type { Account } from '../../store/records.ts'
import { AccountUsage } from '../account-usage.ts'
import type { App } from '../app.ts'
import { jsonOf } from '../json.ts'
import type { PageContext, Site } from '../site.ts'
import { moment } from './figures.ts'
import { pageOf } from './frame.ts'
import { type KeyForm, keysSection } from './keys.ts'
import { lookUp, suggestions, titleOf } from './look-up.ts'
import { moversSection } from './movers.ts'
import { startSection } from './start.ts'
import { usageNow, usageSection } from './usage.ts'

/** What an open dashboard asks for: these are no pages, and prolong no session. */
const usagePath = '/dashboard/usage.json'
const suggestionsPath = '/dashboard/suggestions.json'
export const dataPaths: readonly string[] = [usagePath, suggestionsPath]

export function dashboardPages(app: App, site: Site): void {
  const usage = new AccountUsage(site)

  app.get('/dashboard', async (context) => {
    const { session } = context.var
    const keyId = context.req.query('key') ?? ''
    const key = await site.newKeys.take(session, keyId, site.clock())
    const form = key === undefined ? {} : { made: { keyId, key } }
    return dashboard(site, context, usage, form)
  })

  app.get(usagePath, async (context) => {
    const { account } = context.var.session
    return jsonOf(context, await usageNow(site, usage, account))
  })

  app.get(suggestionsPath, (context) => suggestions(site, context))

  app.get('/dashboard/look-up', async (context) => {
    const { section, status } = await lookUp(site, context)
    return pageOf(site, context, { title: titleOf(context), main: section, hasSearch: true }, status)
  })
}

/** @param form what the form of keys says beside its fields */
export async function dashboard(
  site: Site,
  context: PageContext,
  usage: AccountUsage,
  form: KeyForm = {},
): Promise<Response> {
  const { session } = context.var
  const main = html`<h1>${session.account.name}</h1>
${suspension(session.account)}
${await usageSection(site, usage, session.account)}
${keysSection(await usage.keys(session.account.number), session, form, site.clock())}
${await moversSection(site, session.account, context.req.query('game'))}
${startSection(site)}`
  const parts = { styles: ['uplot.css'], scripts: ['uplot.js', 'charts.js', 'usage.js', 'copy.js'] }
  const status = form.wrong === undefined ? 200 : 400
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
