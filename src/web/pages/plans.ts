/** The plans as the first page shows them: requests a day, what each includes, and what it costs if about.json says so. */
import { html } from 'hono/html'
import { type About, contactAddress } from '../../indexes/about-file.ts'
import { type PlanName, planNames, plans } from '../../plans.ts'
import { count, inData } from './figures.ts'
import { panel, table } from './parts.ts'

const included: Readonly<Record<PlanName, string>> = {
  free: 'Search, sets, and the prices of every card by condition and grade',
  trader: 'Everything in Free, plus price history, changes and movers',
  business: 'Everything in Trader, plus all cards of a game in one download',
}

export function plansSection(about: About) {
  const { plans: prices, currency } = about
  const address = contactAddress(about)
  const columns = {
    Plan: 'heading',
    ...(prices && { Price: 'text' as const }),
    'Requests a day': 'figure',
    Includes: 'text',
  } as const
  const ask = address && html`<a class="button primary" href="${address}" rel="noreferrer">Ask for an account</a>`
  return panel(
    { id: 'plans', title: 'Plans', beside: ask ?? '' },
    table({
      caption: 'Plans',
      columns,
      narrow: 'labelled',
      rows: planNames.map((plan) => [
        plans[plan].name,
        ...(prices ? [html`<span>${monthly(prices[plan], currency)}</span>`] : []),
        count(plans[plan].requestsPerDay),
        included[plan],
      ]),
    }),
  )
}

/** `14.99 USD a month` */
function monthly(price: number | undefined, currency: string | undefined) {
  if (price === undefined) return 'on request'
  if (price === 0) return 'free'
  const text = Number.isInteger(price) ? String(price) : price.toFixed(2)
  return html`<strong>${inData(text)}${currency === undefined ? '' : ` ${currency}`}</strong> a month`
}
