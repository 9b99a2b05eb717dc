/** The tabs of usage, with a first request to copy, and of looking cards up; and what an open page requests by itself. */
import { html } from 'hono/html'
import type { App } from '../app.ts'
import type { Site } from '../site.ts'
import { tabPage, tabPaths } from './account.ts'
import { lookUp, suggestions, titleOf } from './look-up.ts'
import { moversSection } from './movers.ts'
import { copyButton, panel } from './page-parts.ts'
import { usageNow, usageSection } from './usage-section.ts'

/** Requests of an open page. They are not pages, and do not extend a session. */
const usagePath = '/dashboard/usage.json'
const suggestionsPath = '/dashboard/suggestions.json'
export const dataPaths: readonly string[] = [usagePath, suggestionsPath]

export function dashboardPages(app: App, site: Site): void {
  app.get(tabPaths.usage, async (context) => {
    const main = html`${await usageSection(site, context.var.session.account, context.req.query('days'))}
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

  app.get(usagePath, async (context) => context.json(await usageNow(site, context.var.session.account)))
  app.get(suggestionsPath, (context) => suggestions(site, context))
}

const example = '/v1/search?q=charizard&limit=3'

const startSection = ({ api }: Site) =>
  panel(
    { id: 'start', title: 'Start' },
    html`<p>Send requests to <code>${api}</code>, with a key in the header <code>X-API-Key</code>. Replace <code>YOUR_KEY</code> with one of
<a href="/dashboard/keys">your keys</a>.</p>
${sample('curl', 'curl', curlLine(api))}
${sample('node', 'Node.js', program(api))}
<p>The <a href="/docs">guide</a> shows what else you can do. The <a href="/docs/reference">reference</a> lists every request, response
and error.</p>`,
  )

const sample = (id: string, tool: string, text: string) => html`<div class="head">
<h3>With ${tool}</h3>
<p class="choice">${copyButton(id, html`Copy<span class="unseen"> the code for ${tool}</span>`)}</p>
</div>
<pre tabindex="0"><code id="${id}">${text}</code></pre>`

export const curlLine = (api: string, key = 'YOUR_KEY'): string => `curl -H 'X-API-Key: ${key}' '${api}${example}'`

const program = (api: string): string => `const reply = await fetch('${api}${example}', {
  headers: { 'X-API-Key': process.env.CARD_PRICES_KEY },
})
if (!reply.ok) throw new Error(\`\${reply.status} \${await reply.text()}\`)
const { data } = await reply.json()
for (const { name, set, prices } of data) console.log(name, set, prices.market ?? 'unknown')`
