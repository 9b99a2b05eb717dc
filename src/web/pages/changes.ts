/** How prices have changed, on the pages: with a sign, an arrow and a word, so that nobody needs the colour. */
import { html } from 'hono/html'
import type { PeriodName } from '../../indexes/price-change.ts'
import type { Card, CardChanges } from '../cards.ts'
import { amount, day, percent, price } from './figures.ts'
import type { Html } from './frame.ts'

export const periodLabels: Readonly<Record<PeriodName, string>> = {
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
  const share = change.percent === null ? '' : html` (${percent(change.percent)})`
  if (change.amount === 0) return html`<span class="moved">unchanged</span>`
  const [way, arrow] = change.amount > 0 ? ['up', '▲'] : ['down', '▼']
  return html`<span class="moved ${way}"><span aria-hidden="true">${arrow}</span> <span class="unseen">${way}</span> ${amount(change.amount)}${share}</span>`
}

/** The market price, and beside it what became of it. @param changes undefined where the plan does not have them */
export const marketPrice = (
  { prices }: Card,
  changes: CardChanges | undefined,
  currency: string | undefined,
) => html`<section class="market" aria-labelledby="market-price">
<h2 id="market-price">Market price</h2>
<p class="large">${price(prices.market)}${prices.market === null || currency === undefined ? '' : ` ${currency}`}</p>
${changes === undefined ? '' : changesList(changes)}
</section>`

const changesList = ({ changes, high, low }: CardChanges) => html`<dl class="about changes" aria-label="Changes">
${(Object.entries(periodLabels) as [PeriodName, string][]).map(
  ([name, label]) => html`<div><dt>${label}</dt><dd>${changeText(changes[name] ?? null)}</dd></div>
`,
)}
<div><dt>Year’s high</dt><dd>${extreme(high)}</dd></div>
<div><dt>Year’s low</dt><dd>${extreme(low)}</dd></div>
</dl>`

const extreme = (known: CardChanges['high']) =>
  known === null ? price(null) : html`${price(known.market)} <span class="hint">${day(known.date)}</span>`
