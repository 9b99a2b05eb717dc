/** A card: its price, how it moved, conditions and grades, and the history where the account's plan has it. */
import { html } from 'hono/html'
import { historyPlan, plans } from '../../plans.ts'
import type { App } from '../app.ts'
import { type Card, type CardChanges, cardOf, changesOf, historyOf } from '../cards.ts'
import { knowSession } from '../session.ts'
import type { PageContext, Site } from '../site.ts'
import { marketPrice } from './changes.ts'
import { day, inCurrency, moment, price as priceOf, priceText } from './figures.ts'
import { type Html, pageOf } from './frame.ts'
import { historySection, periodOf } from './history.ts'
import { gameName, refusalOfLookUp } from './look-up.ts'
import { picture, pictureLink, pictureOrigins } from './picture.ts'
import { problemPage } from './problem.ts'
import { mayLookUp, searchPath } from './search-form.ts'

export function cardPages(app: App, site: Site): void {
  app.get('/dashboard/cards/:id', (context) => cardPage(site, context, context.req.param('id')))

  // For people without an account too, and to be shared.
  app.get('/cards/:id', async (context) => {
    await knowSession(site, context)
    if (!mayLookUp(site, context)) return context.redirect('/', 303)
    return cardPage(site, context, context.req.param('id'))
  })
}

async function cardPage(site: Site, context: PageContext, id: string): Promise<Response> {
  const refused = refusalOfLookUp(site, context)
  if (refused !== undefined) return problemPage(site, context, 429, refused)
  const data = await site.data.open()
  const card = data && cardOf(data, id)
  if (data === undefined || card === undefined) return problemPage(site, context, 404, 'No card has this id.')
  const { about } = site.data
  const account = context.var.session?.account
  const hasHistory = account !== undefined && plans[account.plan].rank >= plans[historyPlan].rank
  const origins = pictureOrigins(site, card)
  const period = periodOf(context.req.query('period'))
  const main = html`<p class="way-back"><a href="${searchPath(context)}">Look up another card</a></p>
<div class="${origins === undefined ? 'card' : 'card with-picture'}">
${origins === undefined ? '' : picture(card)}
${heading(card, hasHistory ? changesOf(data, id) : undefined, about.currency)}
</div>
${prices(card, about.currency)}
${card.markets?.length ? otherMarkets(card.markets) : ''}
${hasHistory ? historySection(context.req.path, historyOf(data, id, period.days), period, about.currency) : withoutHistory(account !== undefined)}
${details(card, origins !== undefined)}`
  const path = `/cards/${encodeURIComponent(id)}`
  return pageOf(site, context, {
    title: [card.name, card.set, card.number].filter((part) => part !== null).join(' · '),
    description: description(card, about.currency),
    main,
    shared: { path, image: origins === undefined ? undefined : card.image! },
    picturesFrom: origins ?? [],
    ...(hasHistory && { styles: ['uplot.css'], scripts: ['uplot.js', 'charts.js'] }),
  })
}

function description(
  { name, set, number, rarity, game, prices: { market } }: Card,
  currency: string | undefined,
): string {
  const which = [set, number, rarity, gameName(game)].filter((part) => part !== null).join(', ')
  const costs =
    market === null ? 'its market price is unknown' : `${inCurrency('market price', currency)} ${priceText(market)}`
  return `${name} (${which}): ${costs}.`
}

const heading = (
  card: Card,
  changes: CardChanges | undefined,
  currency: string | undefined,
) => html`<div class="panel what">
<h1>${card.name}</h1>
<p class="which">${[gameName(card.game), card.set, card.number, card.rarity, card.printing].filter((part) => part != null).join(' · ')}</p>
${marketPrice(card, changes, currency)}
</div>`

function prices(card: Card, currency: string | undefined): Html {
  const { market, low, mid, high, conditions, graded } = card.prices
  const ofConditions = Object.entries(conditions).map(([key, value]) => [words(key), value] as const)
  const ofGrades = Object.entries(graded).map(([key, value]) => [gradeName(key), value] as const)
  return html`<section class="panel prices" aria-labelledby="prices">
<h2 id="prices">Prices</h2>
<div class="tables">
${table(inCurrency('All prices', currency), 'Price', Object.entries({ Market: market, Low: low, Mid: mid, High: high }))}
${ofConditions.length === 0 ? '' : table(inCurrency('Conditions', currency), 'Condition', ofConditions)}
${ofGrades.length === 0 ? '' : table(inCurrency('Graded', currency), 'Grade', ofGrades)}
</div>
</section>`
}

const otherMarkets = (
  markets: NonNullable<Card['markets']>,
) => html`<section class="panel" aria-labelledby="other-markets">
<h2 id="other-markets">Other markets</h2>
<table class="data stacked">
<caption>Other markets</caption>
<thead><tr><th scope="col">Market</th><th scope="col" class="figure">Price</th><th scope="col" class="figure">Low</th><th scope="col" class="figure">Buylist</th><th scope="col">Date</th></tr></thead>
<tbody>
${markets.map(({ market, currency, price, low, buylist, updatedAt }) => {
  const cell = (label: string, value: number | null) =>
    html`<td class="figure" data-label="${label}"><span>${priceOf(value)}${value === null ? '' : ` ${currency}`}</span></td>`
  return html`<tr><th scope="row">${market}</th>${cell('Price', price)}${cell('Low', low)}${cell('Buylist', buylist)}<td data-label="Date">${updatedAt === null ? 'unknown' : day(updatedAt)}</td></tr>
`
})}
</tbody>
</table>
</section>`

const table = (caption: string, first: string, rows: readonly (readonly [string, number | null | undefined])[]) => html`
<table class="data">
<caption>${caption}</caption>
<thead><tr><th scope="col">${first}</th><th scope="col" class="figure">${first === 'Price' ? 'Amount' : 'Price'}</th></tr></thead>
<tbody>
${rows.map(
  ([name, value]) => html`<tr><th scope="row">${name}</th><td class="figure">${priceOf(value)}</td></tr>
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

const withoutHistory = (hasAccount: boolean) => html`<section class="panel" aria-labelledby="price-history">
<h2 id="price-history">Price history</h2>
<p class="note">Price history and changes come with the ${plans[historyPlan].name} plan and above${
  hasAccount ? '.' : html`: <a href="/#plans">see the plans</a>.`
}</p>
</section>`

const details = (card: Card, isShown: boolean) => html`<section class="panel" aria-labelledby="details">
<h2 id="details">Details</h2>
<dl class="about">
<div><dt>Game</dt><dd>${gameName(card.game)}</dd></div>
<div><dt>Set</dt><dd>${card.set} (<code>${card.setCode}</code>)</dd></div>
<div><dt>Number</dt><dd>${card.number ?? 'unknown'}</dd></div>
<div><dt>Rarity</dt><dd>${card.rarity ?? 'unknown'}</dd></div>
${card.printing == null ? '' : html`<div><dt>Printing</dt><dd>${card.printing}</dd></div>`}
<div><dt>ID</dt><dd><code>${card.id}</code></dd></div>
<div><dt>Sources</dt><dd>${card.sources.length === 0 ? 'unknown' : card.sources.join(', ')}</dd></div>
<div><dt>Updated</dt><dd>${card.updatedAt === null ? 'unknown' : moment(Date.parse(card.updatedAt))}</dd></div>
${isShown || card.image === null ? '' : html`<div><dt>Picture</dt><dd>${pictureLink(card)}</dd></div>`}
</dl>
</section>`
