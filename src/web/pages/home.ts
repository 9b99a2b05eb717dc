/** The first page: what this is, a real card, what it costs, and how to get in. And the status: what is served, and since when. */
import { html } from 'hono/html'
import type { Dataset } from '../../api/dataset.ts'
import { dayMs } from '../../calendar.ts'
import { type About, contactAddress } from '../../indexes/about-file.ts'
import { type PlanName, planNames, plans } from '../../plans.ts'
import { type Card, type CardChanges, changesOf, type Day, findCards, historyOf, moversOfWeek } from '../card-data.ts'
import { exampleQuery } from '../guide-examples.ts'
import { knowSession } from '../session.ts'
import type { App, Html, PageContext, Site } from '../site.ts'
import { pageOf } from './frame.ts'
import { changeText, count, day, inData, moment, price } from './page-figures.ts'
import { listOf, panel, picture, pictureOrigins, table } from './page-parts.ts'
import { cardPath, mayLookUp, searchForm, valuePath } from './search-form.ts'

const heading = 'Trading card prices'

export function homePages(app: App, site: Site): void {
  app.get('/', async (context) => {
    await knowSession(site, context)
    const data = await site.data.open()
    const example = data && exampleOf(data)
    const origins = example && pictureOrigins(site, example.card)
    const main = html`${lead(site, context)}
${data && example && exampleSection(site, context, example, origins !== undefined)}
${plansSection(site.data.about)}
${context.var.session === undefined && signInSection}`
    return pageOf(site, context, { title: heading, main, hasSearch: true, picturesFrom: origins ?? [] })
  })

  app.get('/status', async (context) => {
    await knowSession(site, context)
    const main = html`<div class="panel">
<h1>Status</h1>
${state(site)}
</div>`
    const description = 'Whether prices are served, and their date.'
    return pageOf(site, context, { title: 'Status', main, description, isShort: true })
  })
}

const lead = (site: Site, context: PageContext) => html`<div class="lead">
<h1>${heading}</h1>
<p>See what a card sells for and how its price has moved, here or in your own programs.</p>
${
  mayLookUp(site, context) &&
  html`${searchForm(context, { isLarge: true })}
<p class="hint">Or <a href="${valuePath(context)}">value a whole list</a>.</p>`
}
${holdings(site)}
</div>`

function holdings({ data: { manifest } }: Site) {
  if (manifest === undefined) return html`<p class="first">No cards have been published yet.</p>`
  const { counts, asOf } = manifest
  return html`<p class="holdings"><strong>${count(counts.cards)}</strong> cards in <strong>${count(counts.sets)}</strong> sets${
    asOf === null ? '' : html`, prices of <strong>${day(asOf)}</strong>`
  }</p>`
}

/** The card on the first page: a real one of the served version, if possible with a change in the last week. */
interface Example {
  readonly card: Card
  readonly changes: CardChanges
  /** A year of its prices, oldest first. */
  readonly year: readonly Day[]
}

let example: Example | undefined
let exampleVersion: string | undefined

/** Computed once for each version. Undefined if no such card has a price. */
function exampleOf(data: Dataset): Example | undefined {
  if (data.version !== exampleVersion) example = findExample(data)
  exampleVersion = data.version
  return example
}

/**
 * The most expensive one of the best hits whose change over a week is known, or else the most expensive one. The week's mover if there are
 * no hits.
 */
function findExample(data: Dataset): Example | undefined {
  const { cards } = findCards(data, exampleQuery, 0)
  const movers = () => moversOfWeek(data, -1, 'up', 1).flatMap(({ id }) => findCards(data, id, 0).cards)
  const found = (cards.length > 0 ? cards : movers())
    .filter(({ prices }) => prices.market !== null)
    .map((card) => ({ card, changes: changesOf(data, card.id) }))
    .sort((a, b) => b.card.prices.market! - a.card.prices.market!)
  const best = found.find(({ changes }) => changes.changes['7d']?.amount != null) ?? found[0]
  return best && { ...best, year: historyOf(data, best.card.id, 365) }
}

function exampleSection(site: Site, context: PageContext, { card, changes, year }: Example, isShown: boolean): Html {
  const { currency } = site.data.about
  const name = mayLookUp(site, context) ? html`<a href="${cardPath(context, card.id)}">${card.name}</a>` : card.name
  const line = priceLine(year, `Market price of ${card.name} over the last year`)
  const change = changes.changes['7d'] ?? null
  return html`<section class="panel example" aria-labelledby="example">
<div class="shown">
${isShown && picture(card)}
<div class="figures-of">
<h2 id="example">${name}</h2>
<p class="hint">${[card.set, card.number, card.rarity].filter((part) => part !== null).join(' · ')}</p>
<p class="large">${price(card.prices.market)}${currency && html` <span class="currency">${currency}</span>`}</p>
<p class="week">${changeText(change)} <span class="hint">in 7 days</span></p>
</div>
${line && html`<figure class="year">${line}<figcaption class="hint"><span>${day(year[0]!.date)}</span>${rangeOf(changes)}<span>${day(year.at(-1)!.date)}</span></figcaption></figure>`}
</div>
<div class="pair">
<div class="request"><h3>Request</h3><pre tabindex="0" aria-label="Request"><code>curl -H 'X-API-Key: YOUR_KEY' \\
  '${site.api}/v1/cards/${card.id}'</code></pre>
<p class="hint">Every plan includes this request. <a href="/docs">The docs</a> show the others.</p></div>
<div><h3>Response</h3><pre tabindex="0" aria-label="Response"><code>${answerAbout(card)}</code></pre></div>
</div>
</section>`
}

/** The view box of a year's prices. */
const [width, height] = [1000, 200]
/** Space above and below the line. */
const margin = 12

/** An SVG needs no script and no inline style. Undefined if fewer than two days have a price. */
function priceLine(days: readonly Day[], label: string) {
  const known = days.flatMap(({ date, market }) => (market === null ? [] : [{ day: Date.parse(date) / dayMs, market }]))
  if (known.length < 2) return undefined
  const prices = known.map(({ market }) => market)
  const [low, high] = [Math.min(...prices), Math.max(...prices)]
  const [first, last] = [known[0]!.day, known.at(-1)!.day]
  const points = known.map(({ day, market }) => {
    const x = ((day - first) / (last - first)) * width
    const y = high === low ? height / 2 : height - margin - ((market - low) / (high - low)) * (height - 2 * margin)
    return `${x.toFixed(0)},${y.toFixed(0)}`
  })
  return html`<svg class="price-line" role="img" aria-label="${label}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">
<polygon points="0,${height} ${points.join(' ')} ${width},${height}"/>
<polyline points="${points.join(' ')}" vector-effect="non-scaling-stroke"/>
</svg>`
}

/** The API's answer with line breaks. The price is marked. */
function answerAbout(card: Card): Html {
  const [before, price = '', after = ''] = JSON.stringify({ data: card }, null, 2).split(/("market": [\d.]+)/, 3)
  return html`${before}<mark>${price}</mark>${after}`
}

const rangeOf = ({ low, high }: CardChanges) =>
  low === null || high === null ? '' : html`<span>${price(low.market)} to ${price(high.market)}</span>`

const included: Readonly<Record<PlanName, string>> = {
  free: 'Search, sets, and the prices of every card by condition and grade',
  trader: 'Everything in Free, plus price history, changes and movers',
  business: 'Everything in Trader, plus all cards of a game in one download',
}

/** Requests a day, what each plan includes, and what it costs if about.json says so. */
function plansSection(about: About) {
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

const signInSection = panel(
  { id: 'sign-in', title: 'Sign in' },
  html`<p>There are no passwords: the operator gives out sign-in links. Each link works once and expires after 15 minutes.</p>`,
)

function state({ data: { manifest, since } }: Site) {
  if (manifest === undefined || since === undefined) {
    return html`<p class="state bad">No prices are served.</p>
<p>No data has been published yet, so every request for prices gets a 503.</p>`
  }
  const { asOf, counts, builtAt } = manifest
  return html`<p class="state good">Prices are served.</p>
${listOf({
  'Prices of': asOf === null ? 'unknown' : html`${day(asOf)} (UTC)`,
  'Served since': moment(since),
  Published: moment(Date.parse(builtAt)),
  Cards: count(counts.cards),
})}`
}
