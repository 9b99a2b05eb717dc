/**
 * The table of all prices of a card: market, low, mid and high, conditions, grades, and other markets. A condition
 * whose price is the market price is named in the market price's row, so no figure appears twice. Unknown prices have
 * no row.
 */
import { html } from 'hono/html'
import { day, inCurrency, price as priceOf } from '../shared/page-figures.ts'
import { cellsOf, table } from '../shared/page-parts.ts'
import type { Html } from '../site.ts'
import type { Card } from './card-data.ts'

export function pricesTable({ prices, markets = [] }: Card, currency: string | undefined): Html {
  const { market, low, mid, high, conditions, graded } = prices
  const columns = { Price: 'heading', [inCurrency('Amount', currency)]: 'figure' } as const
  const row = (label: unknown, amount: unknown) => html`<tr>${cellsOf(columns, [label, amount])}</tr>\n`
  const group = (name: string, rows: readonly Html[]) =>
    rows.length === 0 ? '' : html`<tr><th scope="rowgroup" colspan="2">${name}</th></tr>\n${rows}`
  const named = (values: Readonly<Record<string, number>>, nameOf: (key: string) => string) =>
    Object.entries(values).map(([key, value]) => ({ name: nameOf(key), value }))
  const conditioned = named(conditions, words)
  const asMarket = conditioned.filter(({ value }) => value === market)
  const own = [
    { name: 'Market', value: market, same: asMarket.map(({ name }) => name.toLowerCase()).join(', ') },
    { name: 'Low', value: low, same: '' },
    { name: 'Mid', value: mid, same: '' },
    { name: 'High', value: high, same: '' },
  ].filter(({ value }) => value !== null)
  if (own.length + conditioned.length + Object.keys(graded).length + markets.length === 0) {
    return html`<p class="note">No price of this card is known today.</p>`
  }
  return table({
    caption: inCurrency('Prices', currency),
    isCaptionUnseen: true,
    columns,
    rows: html`${own.map(({ name, value, same }) => row(html`${name}${same !== '' && html` <span class="hint">also ${same}</span>`}`, priceOf(value)))}
${group(
  'Conditions',
  conditioned.filter((one) => !asMarket.includes(one)).map(({ name, value }) => row(name, priceOf(value))),
)}
${group(
  'Graded',
  named(graded, gradeName).map(({ name, value }) => row(name, priceOf(value))),
)}
${group('Other markets', markets.map(marketRow(row)))}`,
  })
}

const marketRow =
  (row: (label: unknown, amount: unknown) => Html) =>
  ({ market, currency, price, low, buylist, updatedAt }: NonNullable<Card['markets']>[number]): Html => {
    const beside = [
      low !== null && html`low ${priceOf(low)}`,
      buylist !== null && html`buylist ${priceOf(buylist)}`,
      updatedAt !== null && day(updatedAt),
    ].filter((part) => part !== false)
    const label = html`${market} <span class="hint">${beside.map((part, i) => [i === 0 ? '' : ', ', part])}</span>`
    return row(label, html`<span>${priceOf(price)}${price !== null && ` ${currency}`}</span>`)
  }

/** `near_mint` → `Near mint` */
const words = (key: string) => `${key.charAt(0).toUpperCase()}${key.slice(1).replaceAll('_', ' ')}`

/** `bgs_9_5` → `BGS 9.5` */
function gradeName(key: string): string {
  const [grader = '', ...grade] = key.split('_')
  return `${grader.toUpperCase()} ${grade.join('.')}`
}
