/** The price history of a card: a chart of its days, and their figures as a table. */
import { html } from 'hono/html'
import type { Day } from '../cards.ts'
import { drawn, periodLinks } from './drawn.ts'
import { day, inCurrency, price } from './figures.ts'
import type { Html } from './frame.ts'

const periods = [
  { name: '30d', days: 30, label: '30 days' },
  { name: '90d', days: 90, label: '90 days' },
  { name: '1y', days: 365, label: '1 year' },
  { name: 'all', days: Number.POSITIVE_INFINITY, label: 'all' },
] as const
type Period = (typeof periods)[number]

/** @param name as the address has it */
export const periodOf = (name: string | undefined): Period =>
  periods.find((period) => period.name === name) ?? periods[1]

/** @param path of the page @param days oldest first */
export const historySection = (
  path: string,
  days: readonly Day[],
  chosen: Period,
  currency: string | undefined,
): Html => html`<section class="panel" aria-labelledby="price-history">
<div class="head">
<h2 id="price-history">Price history</h2>
${periodLinks(periods.map(({ name, label }) => ({ to: `${path}?period=${name}#price-history`, label, isChosen: name === chosen.name })))}
</div>
${days.length === 0 ? html`<p class="note">This card has no prices in this period.</p>` : drawnHistory(days, currency)}
</section>`

const drawnHistory = (days: readonly Day[], currency: string | undefined) => {
  const legend = html`<span class="line">${inCurrency('Market', currency)}</span> <span class="band">Low to high</span>`
  return drawn({ kind: 'band', table: 'history', name: 'Price history', legend }, historyTable(days, currency))
}

const historyTable = (days: readonly Day[], currency: string | undefined) => html`
<table class="data" id="history">
<caption>${inCurrency('Price history', currency)}</caption>
<thead><tr><th scope="col">Date</th><th scope="col" class="figure">Market</th><th scope="col" class="figure">Low</th><th scope="col" class="figure">High</th></tr></thead>
<tbody>
${days.toReversed().map(
  ({ date, market, low, high }) => html`<tr data-date="${date}"><th scope="row">${day(date)}</th>${[
    market,
    low,
    high,
  ].map((value) => html`<td class="figure" data-value="${value ?? ''}">${price(value)}</td>`)}</tr>
`,
)}
</tbody>
</table>`
