/**
 * A card: its prices, and how they moved. Its picture lies with others, and a page of ours asks nobody else for anything, so
 * it is a link, unless the operator serves the pictures under the address of these pages.
 */
import { html } from 'hono/html'
import { historyPlan, plans } from '../../plans.ts'
import type { App } from '../app.ts'
import { type Card, type CardChanges, cardOf, changesOf, type Day, historyOf } from '../cards.ts'
import type { Site } from '../site.ts'
import { marketPrice } from './changes.ts'
import { drawn } from './drawn.ts'
import { day, inCurrency, moment, price } from './figures.ts'
import { pageOf } from './frame.ts'
import { cardPath, gameName, refusalOfLookUp } from './look-up.ts'
import { problemPage } from './problem.ts'

const periods = [
  { name: '30d', days: 30, label: '30 days' },
  { name: '90d', days: 90, label: '90 days' },
  { name: '1y', days: 365, label: '1 year' },
  { name: 'all', days: Number.POSITIVE_INFINITY, label: 'all' },
] as const
const usual = periods[1]

export function cardPages(app: App, site: Site): void {
  app.get('/dashboard/cards/:id', async (context) => {
    const { account } = context.var.session
    const refused = refusalOfLookUp(site, context)
    if (refused !== undefined) return problemPage(site, context, 429, refused)
    const data = await site.data.open()
    const card = data && cardOf(data, context.req.param('id'))
    if (data === undefined || card === undefined) return problemPage(site, context, 404, 'No card has this id.')
    const period = periods.find(({ name }) => name === context.req.query('period')) ?? usual
    const { currency } = site.data.about
    const hasHistory = plans[account.plan].rank >= plans[historyPlan].rank
    const history = hasHistory
      ? moved(card, historyOf(data, card.id, period.days), period.name, currency)
      : withoutHistory
    const main = html`<p class="way-back"><a href="/dashboard#look-up">Look up another card</a></p>
<div class="card">
${picture(card, site)}
${about(card, hasHistory ? changesOf(data, card.id) : undefined, currency)}
${prices(card, currency)}
</div>
<section class="panel" aria-labelledby="price-history">
${history}
</section>`
    return pageOf(site, context, { title: card.name, main, styles: ['uplot.css'], scripts: ['uplot.js', 'charts.js'] })
  })
}

const historyHead = html`<h2 id="price-history">Price history</h2>`

const withoutHistory = html`${historyHead}
<p class="note">The plan ${plans[historyPlan].name} and above have price histories and changes; this account’s does not.</p>`

const about = (
  card: Card,
  changes: CardChanges | undefined,
  currency: string | undefined,
) => html`<div class="panel what">
<h1>${card.name}</h1>
${marketPrice(card, changes, currency)}
<dl class="about">
<div><dt>Game</dt><dd>${gameName(card.game)}</dd></div>
<div><dt>Set</dt><dd>${card.set} (<code>${card.setCode}</code>)</dd></div>
<div><dt>Number</dt><dd>${card.number ?? 'unknown'}</dd></div>
<div><dt>Rarity</dt><dd>${card.rarity ?? 'unknown'}</dd></div>
${card.printing == null ? '' : html`<div><dt>Printing</dt><dd>${card.printing}</dd></div>`}
<div><dt>Id</dt><dd><code>${card.id}</code></dd></div>
<div><dt>Sources</dt><dd>${card.sources.length === 0 ? 'unknown' : card.sources.join(', ')}</dd></div>
<div><dt>Updated</dt><dd>${card.updatedAt === null ? 'unknown' : moment(Date.parse(card.updatedAt))}</dd></div>
</dl>
</div>`

function picture({ name, image }: Card, { url }: Site) {
  if (image === null) return html`<p class="picture">There is no picture of this card.</p>`
  if (URL.canParse(image) && new URL(image).origin === url) {
    return html`<img class="picture" src="${image}" alt="${name}">`
  }
  return html`<p class="picture"><a href="${image}" rel="noreferrer" target="_blank">Picture of ${name}</a> (on another site)</p>`
}

const prices = (
  { prices: { market, low, mid, high, conditions, graded } }: Card,
  currency: string | undefined,
) => html`<section class="panel prices" aria-labelledby="prices">
<h2 id="prices">Prices</h2>
<div class="tables">
${table(inCurrency('All prices', currency), 'Price', Object.entries({ Market: market, Low: low, Mid: mid, High: high }))}
${
  Object.keys(conditions).length === 0
    ? html`<p class="note">Prices by condition are unknown.</p>`
    : table(
        inCurrency('Conditions', currency),
        'Condition',
        Object.entries(conditions).map(([key, value]) => [words(key), value]),
      )
}
${
  Object.keys(graded).length === 0
    ? html`<p class="note">Graded prices are unknown.</p>`
    : table(
        inCurrency('Graded', currency),
        'Grade',
        Object.entries(graded).map(([key, value]) => [gradeName(key), value]),
      )
}
</div>
</section>`

const table = (caption: string, first: string, rows: readonly (readonly [string, number | null | undefined])[]) => html`
<table class="data">
<caption>${caption}</caption>
<thead><tr><th scope="col">${first}</th><th scope="col" class="figure">${first === 'Price' ? 'Amount' : 'Price'}</th></tr></thead>
<tbody>
${rows.map(
  ([name, value]) => html`<tr><th scope="row">${name}</th><td class="figure">${price(value)}</td></tr>
`,
)}
</tbody>
</table>`

/** `near_mint` → `Near mint` */
const words = (key: string) => `${key.charAt(0).toUpperCase()}${key.slice(1).replaceAll('_', ' ')}`

/** `bgs_9_5` → `BGS 9.5` */
function gradeName(key: string): string {
  const [grader = '', ...grade] = key.split('_')
  return `${grader.toUpperCase()} ${grade.join('.')}`
}

const moved = (
  card: Card,
  days: readonly Day[],
  chosen: string,
  currency: string | undefined,
) => html`<div class="head">
${historyHead}
<nav aria-label="Period" class="periods">
${periods.map(
  ({ name, label }) =>
    html`<a href="${cardPath(card.id)}?period=${name}#price-history"${name === chosen ? html` aria-current="true"` : ''}>${label}</a> `,
)}
</nav>
</div>
${days.length === 0 ? html`<p class="note">No price of this card is known in these days.</p>` : drawnHistory(days, currency)}`

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
