/** The section "Usage": today's requests, the quota, and the days before. */
import { html } from 'hono/html'
import { dateOfDay, dayEndMs, dayOfMs } from '../../calendar.ts'
import { usageDaysShown } from '../../limits.ts'
import { plans } from '../../plans.ts'
import { countMax } from '../../quota/counters.ts'
import { RefusedCounts } from '../../quota/usage.ts'
import type { Account } from '../../store/store-records.ts'
import { type Requests, requestsOf } from '../account-usage.ts'
import type { Site } from '../site.ts'
import type { UsageNow } from '../usage-now.ts'
import { tabPaths } from './account.ts'
import { drawn, periodLinks } from './drawn.ts'
import { count, day, durationText, number } from './figures.ts'
import { contactLink, type Html } from './frame.ts'
import { panel, table } from './parts.ts'

const windows = [7, 30, usageDaysShown] as const

export async function usageNow(site: Site, account: Account): Promise<UsageNow> {
  const today = dayOfMs(site.clock())
  const { counts } = await requestsOf(site, account.number, today, today)
  return usedOf(site, counts[0]!, today, account)
}

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

/** @param days how many days are shown, as the page's address has it */
export async function usageSection(site: Site, account: Account, days: string | undefined) {
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

/** Always in UTC: a quota is for a UTC day. */
const reset = ({ resetsAt, resetsIn }: UsageNow): Html =>
  html`<span class="utc"><time datetime="${new Date(resetsAt).toISOString()}">00:00 UTC</time></span> (in <span class="resets-in" aria-live="off">${resetsIn}</span>)`

/** Always on the page, so that the script can show it once the quota is used up. */
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
${rows.every((requests) => requests === 0) && html`<p class="first">No requests in the last ${days} days. <a href="#start">Start</a> has one you can copy.</p>`}
${drawn({ kind: 'bars', table: 'requests-a-day', name: 'Requests a day', legend: html``, isFolded: true }, figures)}`
}
