/** The tabs of an account's usage and of looking cards up, and what an open page requests by itself. */
import { html } from 'hono/html'
import type { App } from '../app.ts'
import type { Site } from '../site.ts'
import { tabPage, tabPaths } from './account.ts'
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
    const { days } = context.req.query()
    const { account } = context.var.session
    const main = html`${await usageSection(site, account, days)}
${startSection(site)}`
    const scripts = ['uplot.js', 'charts.js', 'usage.js', 'copy.js']
    return tabPage(site, context, 'usage', { main, styles: ['uplot.css'], scripts })
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
