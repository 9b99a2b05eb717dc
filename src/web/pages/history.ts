/** The price history of a card: a chart of its days, and their figures as a table. */
import { html } from 'hono/html'
import type { Day } from '../cards.ts'
import type { Html } from '../site.ts'
import { drawn, periodLinks } from './drawn.ts'
import { day, inCurrency, price } from './figures.ts'
import { panel, table } from './parts.ts'

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
): Html =>
  panel(
    {
      id: 'price-history',
      title: 'Price history',
      beside: periodLinks(
        periods.map(({ name, label }) => ({
          to: `${path}?period=${name}#price-history`,
          label,
          isChosen: name === chosen.name,
        })),
      ),
    },
    days.length === 0
      ? html`<p class="note">This card has no prices in this period.</p>`
      : drawnHistory(days, currency),
  )

function drawnHistory(days: readonly Day[], currency: string | undefined): Html {
  const legend = html`<span class="line-of">${inCurrency('Market', currency)}</span> <span class="band">Low to high</span>`
  const figures = table({
    caption: inCurrency('Price history', currency),
    id: 'history',
    columns: { Date: 'heading', Market: 'figure', Low: 'figure', High: 'figure' },
    rows: days.toReversed().map(({ date, market, low, high }) => [day(date), ...[market, low, high].map(price)]),
  })
  return drawn({ kind: 'band', table: 'history', name: 'Price history', legend }, figures)
}
