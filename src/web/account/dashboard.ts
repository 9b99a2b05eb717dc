/**
 * Two tabs of an account. "Usage" has today's requests, the quota, earlier days, and a first request to copy. "Look up"
 * also has the week's movers. Also answers the requests that an open page sends by itself.
 */
import { html } from 'hono/html'
import { dateOfDay, dayEndMs, dayOfMs } from '../../calendar.ts'
import { usageDaysShown } from '../../limits.ts'
import { plans } from '../../plans.ts'
import { countMax } from '../../quota/counters.ts'
import { RefusedCounts } from '../../quota/live-usage.ts'
import type { Account } from '../../store/store-records.ts'
import { lookUp, suggestions } from '../cards/look-up.ts'
import { contactLink } from '../shared/frame.ts'
import { count, day, durationText, number } from '../shared/page-figures.ts'
import { chart, copyButton, foldedFigures, panel, periodLinks, table } from '../shared/page-parts.ts'
import { compressed } from '../shared/shared-content.ts'
import type { App, Html, Site } from '../site.ts'
import { tabPage, tabPaths } from './account.ts'
import { type Requests, requestsOf } from './account-usage.ts'
import { moversSection } from './movers.ts'
import type { UsageNow } from './usage-now.ts'

/** The paths that an open page requests by itself. They return data and no page, and do not extend a session. */
const usagePath = '/dashboard/usage.json'
const suggestionsPath = '/dashboard/suggestions.json'
export const dataPaths: readonly string[] = [usagePath, suggestionsPath]

export function dashboardPages(app: App, site: Site): void {
  app.get(tabPaths.usage, async (context) => {
    const main = html`${await usageSection(site, context.var.session.account, context.req.query('days'))}
${startSection(site)}`
    const scripts = ['uplot.js', 'charts.js', 'usage.js', 'copy.js']
    // The page contains no text from a visitor, so it may be compressed.
    return compressed(context, await tabPage(site, context, 'usage', { main, styles: ['uplot.css'], scripts }))
  })

  app.get(tabPaths.lookUp, async (context) => {
    const { section, picturesFrom, ...page } = await lookUp(site, context)
    const movers = await moversSection(site, context)
    const main = html`${section}\n${movers.section}`
    const origins = [...new Set([...picturesFrom, ...movers.picturesFrom])]
    return tabPage(site, context, 'lookUp', { ...page, main, hasSearch: true, picturesFrom: origins })
  })

  app.get(usagePath, async (context) => {
    const { account } = context.var.session
    const today = dayOfMs(site.clock())
    const { counts } = await requestsOf(site, account.number, today, today)
    return context.json(usedOf(site, counts[0]!, today, account))
  })
  app.get(suggestionsPath, (context) => suggestions(site, context))
}

const windows = [7, 30, usageDaysShown] as const

function usedOf({ accounts, clock }: Site, used: number, today: number, { number: account, plan }: Account): UsageNow {
  const limit = plans[plan].requestsPerDay
  const resetsAt = dayEndMs(today)
  return {
    date: dateOfDay(today),
    used,
    limit,
    text: `${number(used)} of ${number(limit)}`,
    resetsAt,
    resetsIn: durationText(resetsAt - clock()),
    refused: new RefusedCounts(accounts.quota).on(today, account),
  }
}

/** @param days the number of days to show, from the page's address */
async function usageSection(site: Site, account: Account, days: string | undefined) {
  const today = dayOfMs(site.clock())
  const requests = await requestsOf(site, account.number, today - usageDaysShown + 1, today)
  const now = usedOf(site, requests.counts.at(-1)!, today, account)
  const { used, limit, text } = now
  return html`${exhausted(site, now)}
${panel(
  { id: 'usage', title: 'Usage', beside: html`<p class="plan">Plan: <strong>${plans[account.plan].name}</strong></p>` },
  html`<p class="used"><strong id="used">${count(used)} of ${count(limit)}</strong> requests used today. <span class="hint">Resets at ${reset(now)}.</span></p>
<meter id="used-meter" aria-label="Requests used today" min="0" max="${limit}" value="${used}" high="${limit * 0.8}" optimum="0" aria-valuetext="${text}"></meter>
${!requests.isWhole && html`<p class="note">Requests to other servers are missing, because those servers can’t be reached right now.</p>`}
${requestsADay(requests, today, windows.find((each) => String(each) === days) ?? usageDaysShown)}`,
)}`
}

/** The time is always in UTC, since a quota is for a UTC day. */
const reset = ({ resetsAt, resetsIn }: UsageNow): Html =>
  html`<span class="utc"><time datetime="${new Date(resetsAt).toISOString()}">00:00 UTC</time></span> (in <span class="resets-in" aria-live="off">${resetsIn}</span>)`

/** This notice is always on the page, so that the script can show it once the quota is used up. */
function exhausted({ data, others }: Site, now: UsageNow): Html {
  const state = now.used >= now.limit ? html`role="status"` : html`hidden`
  return html`<div class="notice bad" id="exhausted" ${state}>
<p><strong>Today’s quota is used up.</strong> Requests are refused until ${reset(now)}.</p>
<p><span id="refused" aria-live="off"${now.refused === 0 ? html` hidden` : ''}>Refused today${others === undefined ? '' : ', by this server'}: ${count(now.refused)}${now.refused >= countMax ? ' or more' : ''}. </span>For more requests a day, ask ${contactLink(data.about) ?? 'the operator'}.</p>
</div>`
}

function requestsADay({ counts }: Requests, today: number, days: number) {
  const rows = counts.slice(-days).toReversed()
  const figures = table({
    caption: 'Requests a day',
    id: 'requests-a-day',
    columns: { 'Date (UTC)': 'heading', Requests: 'figure' },
    rows: rows.map((requests, i) => [day(dateOfDay(today - i)), count(requests)]),
  })
  return html`<div class="head">
<h3>Requests a day</h3>
${periodLinks(windows.map((each) => ({ to: `${tabPaths.usage}?days=${each}#usage`, label: `${each} days`, isChosen: each === days })))}
</div>
${
  rows.every((requests) => requests === 0)
    ? html`<p class="first">No requests in the last ${days} days. <a href="#start">Start</a> has one you can copy.</p>`
    : chart({ kind: 'bars', table: 'requests-a-day', name: 'Requests a day' })
}
${foldedFigures('Requests a day', figures)}`
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
