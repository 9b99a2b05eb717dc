/** The dashboard's section "Usage". */
import { html } from 'hono/html'
import { dateOfDay, dayEndMs, dayOfMs } from '../../calendar.ts'
import { usageDaysShown } from '../../limits.ts'
import { plans } from '../../plans.ts'
import type { LiveUsage } from '../../quota/live.ts'
import type { Account } from '../../store/records.ts'
import type { Site } from '../site.ts'
import type { UsageNow } from '../usage-now.ts'
import { drawn } from './drawn.ts'
import { count, day, moment, number } from './figures.ts'

export function usageNow(site: Site, live: LiveUsage, { number: account, plan }: Account): UsageNow {
  const today = dayOfMs(site.clock())
  const used = live.on(today, account)
  const limit = plans[plan].requestsPerDay
  return { date: dateOfDay(today), used, limit, text: `${number(used)} of ${number(limit)}`, resetsAt: dayEndMs(today) }
}

export function usageSection(site: Site, live: LiveUsage, account: Account) {
  const { used, limit, text, resetsAt } = usageNow(site, live, account)
  return html`<section class="panel" aria-labelledby="usage">
<div class="head">
<h2 id="usage">Usage</h2>
<p class="plan">Plan: <strong>${plans[account.plan].name}</strong></p>
</div>
<p class="used"><strong id="used">${count(used)} of ${count(limit)}</strong> requests used today. <span class="hint">The quota comes back at ${moment(resetsAt)}.</span></p>
<meter id="used-meter" aria-label="Requests used today" min="0" max="${limit}" value="${used}" high="${limit * 0.8}" optimum="0" aria-valuetext="${text}"></meter>
${requestsADay(site, live, account)}
</section>`
}

function requestsADay(site: Site, live: LiveUsage, account: Account) {
  const today = dayOfMs(site.clock())
  const days = Array.from({ length: usageDaysShown }, (_, i) => today - i)
  const requests = (of: number) => (of === today ? live.on(of, account.number) : site.store.usedOn(of, account.number))
  const rows = days.map((of) => ({ date: dateOfDay(of), requests: requests(of) }))
  const total = rows.reduce((sum, row) => sum + row.requests, 0)
  const first =
    total === 0
      ? html`<p class="first">No request was counted in the last ${usageDaysShown} days: see <a href="#start">Start</a>.</p>`
      : ''
  const legend = html`<b>Requests a day</b>`
  return html`${first}
${drawn({ kind: 'bars', table: 'requests-a-day', name: 'Requests a day', legend }, table(rows))}`
}

const table = (rows: readonly { readonly date: string; readonly requests: number }[]) => html`
<table class="data" id="requests-a-day">
<caption>Requests a day</caption>
<thead><tr><th scope="col">Date (UTC)</th><th scope="col" class="figure">Requests</th></tr></thead>
<tbody>
${rows.map(
  (row) =>
    html`<tr data-date="${row.date}"><th scope="row">${day(row.date)}</th><td class="figure" data-value="${row.requests}">${count(row.requests)}</td></tr>
`,
)}
</tbody>
</table>`
