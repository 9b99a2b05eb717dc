/** The plans as the first page shows them: requests a day, what each includes, and what it costs if about.json says so. */
import { html } from 'hono/html'
import { type About, contactAddress } from '../../indexes/about-file.ts'
import { type PlanName, planNames, plans } from '../../plans.ts'
import { count, inData } from './figures.ts'

const included: Readonly<Record<PlanName, string>> = {
  free: 'Search, sets, and the prices of every card by condition and grade',
  trader: 'Everything in Free, plus price history, changes and movers',
  business: 'Everything in Trader, plus all cards of a game in one download',
}

export function plansSection(about: About) {
  const { plans: prices, currency } = about
  const address = contactAddress(about)
  return html`<section class="panel plans" aria-labelledby="plans">
<div class="head">
<h2 id="plans">Plans</h2>
${address === undefined ? '' : html`<a class="button primary" href="${address}" rel="noreferrer">Ask for an account</a>`}
</div>
<table class="data stacked">
<caption>Plans</caption>
<thead><tr><th scope="col">Plan</th>${prices === undefined ? '' : html`<th scope="col">Price</th>`}<th scope="col" class="figure">Requests a day</th><th scope="col">Includes</th></tr></thead>
<tbody>
${planNames.map(
  (
    plan,
  ) => html`<tr><th scope="row">${plans[plan].name}</th>${prices === undefined ? '' : html`<td data-label="Price"><span>${monthly(prices[plan], currency)}</span></td>`}
<td class="figure" data-label="Requests a day">${count(plans[plan].requestsPerDay)}</td><td>${included[plan]}</td></tr>
`,
)}
</tbody>
</table>
</section>`
}

/** `14.99 USD a month` */
function monthly(price: number | undefined, currency: string | undefined) {
  if (price === undefined) return 'on request'
  if (price === 0) return 'free'
  const text = Number.isInteger(price) ? String(price) : price.toFixed(2)
  return html`<strong>${inData(text)}${currency === undefined ? '' : ` ${currency}`}</strong> a month`
}
