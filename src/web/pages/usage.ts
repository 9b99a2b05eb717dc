/** The dashboard's section "Usage". */
import { html } from 'hono/html'
import { dateOfDay, dayEndMs, dayOfMs } from '../../calendar.ts'
import { usageDaysShown } from '../../limits.ts'
import { plans } from '../../plans.ts'
import type { Account } from '../../store/records.ts'
import type { AccountUsage, Requests } from '../account-usage.ts'
import type { Site } from '../site.ts'
import type { UsageNow } from '../usage-now.ts'
import { drawn } from './drawn.ts'
import { count, day, moment, number } from './figures.ts'

export async function usageNow(site: Site, usage: AccountUsage, account: Account): Promise<UsageNow> {
  const today = dayOfMs(site.clock())
  const { counts } = await usage.requests(account.number, today, today)
  return usedOf(counts[0]!, today, account)
}

function usedOf(used: number, today: number, { plan }: Account): UsageNow {
  const limit = plans[plan].requestsPerDay
  return { date: dateOfDay(today), used, limit, text: `${number(used)} of ${number(limit)}`, resetsAt: dayEndMs(today) }
}

export async function usageSection(site: Site, usage: AccountUsage, account: Account) {
  const today = dayOfMs(site.clock())
  const requests = await usage.requests(account.number, today - usageDaysShown + 1, today)
  const { used, limit, text, resetsAt } = usedOf(requests.counts.at(-1)!, today, account)
  return html`<section class="panel" aria-labelledby="usage">
<div class="head">
<h2 id="usage">Usage</h2>
<p class="plan">Plan: <strong>${plans[account.plan].name}</strong></p>
</div>
<p class="used"><strong id="used">${count(used)} of ${count(limit)}</strong> requests used today. <span class="hint">The quota comes back at ${moment(resetsAt)}.</span></p>
<meter id="used-meter" aria-label="Requests used today" min="0" max="${limit}" value="${used}" high="${limit * 0.8}" optimum="0" aria-valuetext="${text}"></meter>
${requests.isWhole ? '' : html`<p class="note">Requests that other servers answered are not counted in: they can’t be asked for at this moment.</p>`}
${requestsADay(requests, today)}
</section>`
}

function requestsADay({ counts }: Requests, today: number) {
  const rows = counts.toReversed().map((requests, i) => ({ date: dateOfDay(today - i), requests }))
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
