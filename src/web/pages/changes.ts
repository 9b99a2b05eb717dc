/** How prices changed: with a sign, an arrow and a word, so nobody depends on colour. */
import { html } from 'hono/html'
import type { PeriodName } from '../../indexes/changes-file.ts'
import type { Card, CardChanges } from '../cards.ts'
import { amount, day, percent, price } from './figures.ts'
import type { Html } from './frame.ts'

const periodLabels: Readonly<Record<PeriodName, string>> = {
  '1d': '1 day',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  '1y': '1 year',
}

interface Change {
  readonly amount: number | null
  readonly percent: number | null
}

/** ▲ +3.11 (+1.3%) */
export function changeText(change: Change | null): Html {
  if (change === null || change.amount === null) return html`<span class="unknown">unknown</span>`
  const share = change.percent === null ? '' : html` <span class="share">(${percent(change.percent)})</span>`
  if (change.amount === 0) return html`<span class="moved">unchanged</span>`
  const [way, arrow] = change.amount > 0 ? ['up', '▲'] : ['down', '▼']
  return html`<span class="moved ${way}"><span aria-hidden="true">${arrow}</span> <span class="unseen">${way}</span> ${amount(change.amount)}${share}</span>`
}

/** The market price, large, and under it how it moved. @param changes undefined where the plan does not have them */
export const marketPrice = (
  { prices: { market } }: Card,
  changes: CardChanges | undefined,
  currency: string | undefined,
) => html`<section class="market" aria-labelledby="market-price">
<h2 id="market-price">Market price</h2>
<p class="large">${price(market)}${market === null || currency === undefined ? '' : html` <span class="currency">${currency}</span>`}</p>
${changes === undefined ? '' : html`${changesList(changes)}${range(market, changes)}`}
</section>`

const changesList = ({ changes }: CardChanges) => html`<dl class="changes" aria-label="Changes">
${(Object.entries(periodLabels) as [PeriodName, string][]).map(
  ([name, label]) => html`<div><dt>${label}</dt><dd>${changeText(changes[name] ?? null)}</dd></div>
`,
)}
</dl>`

/** The year's low and high, and between them where the price is now. */
const range = (market: number | null, { low, high }: CardChanges) => html`<div class="range">
${market === null || low === null || high === null || low.market === high.market ? '' : rangeBar(market, low.market, high.market)}
<dl><div><dt>Year’s low</dt><dd>${extreme(low)}</dd></div><div><dt>Year’s high</dt><dd>${extreme(high)}</dd></div></dl>
</div>`

function rangeBar(market: number, low: number, high: number): Html {
  const share = Math.min(Math.max((market - low) / (high - low), 0), 1)
  const at = `${Math.round(share * 100)}%`
  return html`<svg class="range-bar" role="img" aria-label="The price is ${at} of the way from the year’s low to its high" width="100%" height="16">
<rect y="6" width="100%" height="4" rx="2"/><rect class="up-to" y="6" width="${at}" height="4" rx="2"/><circle cx="${at}" cy="8" r="6"/>
</svg>`
}

const extreme = (known: CardChanges['high']) =>
  known === null ? price(null) : html`${price(known.market)} <span class="hint">${day(known.date)}</span>`
