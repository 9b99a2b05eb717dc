/** An account's three tabs: usage and a first request, keys, looking cards up. */
import { html } from 'hono/html'
import { keysOf } from '../account-usage.ts'
import type { App } from '../app.ts'
import { takeNewKey } from '../new-keys.ts'
import { keyChanges, noticeOfKey } from '../notices.ts'
import type { PageContext, Site } from '../site.ts'
import { tabPage, tabPaths } from './account.ts'
import { type KeyForm, keysSection } from './keys.ts'
import { lookUp, suggestions, titleOf } from './look-up.ts'
import { moversSection } from './movers.ts'
import { startSection } from './start.ts'
import { usageNow, usageSection } from './usage.ts'

/** Requests of an open page. They are not pages, and do not extend a session. */
const usagePath = '/dashboard/usage.json'
const suggestionsPath = '/dashboard/suggestions.json'
export const dataPaths: readonly string[] = [usagePath, suggestionsPath]

export function dashboardPages(app: App, site: Site): void {
  app.get(tabPaths.usage, async (context) => {
    const { q, days } = context.req.query()
    // Links of before the tabs.
    if (q !== undefined) return context.redirect(tabPaths.lookUp + new URL(context.req.url).search, 303)
    const { account } = context.var.session
    const main = html`${await usageSection(site, account, days)}
${startSection(site)}`
    const scripts = ['uplot.js', 'charts.js', 'usage.js', 'copy.js']
    return tabPage(site, context, 'usage', { main, styles: ['uplot.css'], scripts })
  })

  app.get(tabPaths.keys, async (context) => {
    const { key: keyId = '', done } = context.req.query()
    const key = takeNewKey(site, context, keyId)
    const change = keyChanges.find((each) => each === done) ?? 'created'
    if (key === undefined) noticeOfKey(site, context)
    return keysTab(site, context, key === undefined ? {} : { made: { keyId, key, change } })
  })

  app.get(tabPaths.lookUp, async (context) => {
    const { section, status } = await lookUp(site, context)
    const main = html`${section}
${await moversSection(site, context)}`
    return tabPage(site, context, 'lookUp', { main, status, title: titleOf(context), hasSearch: true })
  })

  app.get(usagePath, async (context) => {
    const { account } = context.var.session
    return context.json(await usageNow(site, account))
  })

  app.get(suggestionsPath, (context) => suggestions(site, context))
}

/** @param form what the form of keys says beside its fields */
export async function keysTab(site: Site, context: PageContext, form: KeyForm = {}): Promise<Response> {
  const { session } = context.var
  const main = keysSection(site, await keysOf(site, session.account.number), session, form)
  const status = form.wrong === undefined ? 200 : 400
  return tabPage(site, context, 'keys', { main, status, scripts: ['copy.js', 'keys.js'] })
}
