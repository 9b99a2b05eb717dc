/**
 * The home page: the search field, movers, newest sets and games, an example for programs, plans, and how to sign in.
 * Also the page `/status`.
 */
import { html } from 'hono/html'
import { dayMs } from '../../calendar.ts'
import { type About, contactAddress } from '../../indexes/about-file.ts'
import { type PlanName, planNames, plans } from '../../plans.ts'
import { answerText, type Day, type ListedSet } from '../cards/card-data.ts'
import { gameName, hasPicture, moversList, nameText, picture, pictureOrigins, setPath } from '../cards/card-parts.ts'
import { addressOf } from '../cards/look-up-query.ts'
import { type Example, type VersionData, versionDataOf } from '../cards/version-data.ts'
import { pageOf } from '../shared/frame.ts'
import { changeText, count, day, inData, moment, price } from '../shared/page-figures.ts'
import { listOf, panel, table } from '../shared/page-parts.ts'
import { cardPath, mayLookUp, searchForm, searchPath, valuePath } from '../shared/search-form.ts'
import { knowSession } from '../shared/session.ts'
import { compressed } from '../shared/shared-content.ts'
import type { App, Html, PageContext, Site } from '../site.ts'

const heading = 'Trading card prices'

export function homePages(app: App, site: Site): void {
  app.get('/', async (context) => {
    await knowSession(site, context)
    const data = await site.data.open()
    const shown = data && (await versionDataOf(data))
    const isOpen = mayLookUp(site, context)
    const main = html`${lead(site, context, shown?.queries ?? [])}
${shown && isOpen && market(site, context, shown)}
${data && shown?.example && programs(site, context, shown.example, answerText(data, shown.example.card.id))}
${plansSection(site.data.about)}
${context.var.session === undefined && signInSection}`
    const pictured = shown === undefined ? [] : [...shown.up, ...shown.down, ...(shown.example ? [shown.example] : [])]
    const picturesFrom = pictureOrigins(
      site,
      pictured.map(({ card }) => card),
    )
    // The page contains no text from a visitor, so it may be compressed.
    return compressed(context, await pageOf(site, context, { title: heading, main, hasSearch: true, picturesFrom }))
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

const lead = (site: Site, context: PageContext, queries: readonly string[]) => html`<div class="lead">
<h1>${heading}</h1>
${
  mayLookUp(site, context) &&
  html`${searchForm(context, { isLarge: true })}
<p class="examples">${queries.length > 0 && html`<span>Try</span>`}
${queries.map((query) => html`<a href="${addressOf(searchPath(context), { q: query })}">${nameText(query)}</a>\n`)}
<a href="${valuePath(context)}">value a whole list</a></p>`
}
${holdings(site)}
</div>`

function holdings({ data: { manifest } }: Site) {
  if (manifest === undefined) return html`<p class="first">No cards have been published yet.</p>`
  const { counts, asOf } = manifest
  return html`<p class="hint">What <strong>${count(counts.cards)}</strong> cards in <strong>${count(counts.sets)}</strong> sets sell for${
    asOf === null ? '' : html`, at the prices of <strong>${day(asOf)}</strong>`
  }: here, or in your own programs.</p>`
}

/** The cards that moved, the newest sets and the games, each with a link to its cards. */
const market = (site: Site, context: PageContext, { up, down, newest, games }: VersionData) => html`<div class="beside">
${panel({ id: 'up', title: 'Up this week' }, moversList(site, context, 'Biggest rises', up))}
${panel({ id: 'down', title: 'Down this week' }, moversList(site, context, 'Biggest falls', down))}
${panel({ id: 'newest', title: 'Newest sets' }, setsTable(site, context, newest))}
${panel({ id: 'games', title: 'Games' }, gamesTable(context, games))}
</div>`

const setsTable = (site: Site, context: PageContext, sets: readonly ListedSet[]) =>
  table({
    caption: 'Newest sets',
    isCaptionUnseen: true,
    kind: 'rows',
    columns: { Set: 'heading', Released: 'figure' },
    rows: sets.map(({ game, code, name, releaseDate }) => [
      html`<a href="${setPath(context, game, code)}">${nameText(name)}</a> <span class="hint">${gameName(site, game)}</span>`,
      releaseDate === null ? 'unknown' : day(releaseDate),
    ]),
  })

const gamesTable = (context: PageContext, games: VersionData['games']) =>
  table({
    caption: 'Games',
    isCaptionUnseen: true,
    kind: 'rows',
    columns: { Game: 'heading', Sets: 'figure', Cards: 'figure' },
    rows: games.map(({ id, name, cardCount, setCount }) => [
      html`<a href="${addressOf(searchPath(context), { game: id })}">${name}</a>`,
      count(setCount),
      count(cardCount),
    ]),
  })

/** A card, and beside it the request for that card with the whole response. */
function programs(site: Site, context: PageContext, { card, changes, year }: Example, answer: string): Html {
  const { currency } = site.data.about
  const name = mayLookUp(site, context)
    ? html`<a href="${cardPath(context, card.id)}">${nameText(card.name)}</a>`
    : nameText(card.name)
  const line = priceLine(year, `Market price of ${card.name} over the last year`)
  const change = changes.changes['7d'] ?? null
  return panel(
    { id: 'programs', title: 'The same for your programs' },
    html`<div class="pair">
<div>
<div class="example">
${hasPicture(site, card) && picture(card)}
<div>
<h3>${name}</h3>
<p class="hint">${[card.set, card.number, card.rarity].filter((part) => part !== null).join(' · ')}</p>
<p class="large">${price(card.prices.market)}${currency && html` <span class="currency">${currency}</span>`}</p>
<p>${changeText(change)} <span class="hint">in 7 days</span></p>
</div>
</div>
${line}
<h3>Request</h3>
<pre tabindex="0" aria-label="Request"><code>curl -H 'X-API-Key: YOUR_KEY' \\
  '${site.api}/v1/cards/${card.id}'</code></pre>
<p class="hint">Every plan includes this request. <a href="/docs">The docs</a> show the others.</p>
</div>
<div>
<h3>Response</h3>
<pre tabindex="0" aria-label="Response"><code>${answer}</code></pre>
</div>
</div>`,
  )
}

/** The view box of a year's prices. */
const [width, height] = [1000, 200]
/** Space above and below the line. */
const margin = 12

/**
 * A year's prices as a line in an SVG, which needs no script and no inline style. At the left are the highest and the
 * lowest price, below are the first and the last day. Undefined if fewer than two days have a price.
 */
function priceLine(days: readonly Day[], label: string): Html | undefined {
  const known = days.flatMap(({ date, market }) => (market === null ? [] : [{ date, market }]))
  if (known.length < 2) return undefined
  const prices = known.map(({ market }) => market)
  const [low, high] = [Math.min(...prices), Math.max(...prices)]
  const dayOf = ({ date }: (typeof known)[number]) => Date.parse(date) / dayMs
  const [first, last] = [known[0]!, known.at(-1)!]
  const points = known.map((point) => {
    const x = ((dayOf(point) - dayOf(first)) / (dayOf(last) - dayOf(first))) * width
    const share = high === low ? 0.5 : (point.market - low) / (high - low)
    return `${x.toFixed(0)},${(height - margin - share * (height - 2 * margin)).toFixed(0)}`
  })
  return html`<figure class="year">
<p class="axis hint">${price(high)}${high !== low && html` ${price(low)}`}</p>
<svg class="price-line" role="img" aria-label="${label}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">
<polygon points="0,${height} ${points.join(' ')} ${width},${height}"/>
<polyline points="${points.join(' ')}" vector-effect="non-scaling-stroke"/>
</svg>
<figcaption class="hint"><span>${day(first.date)}</span><span>${day(last.date)}</span></figcaption>
</figure>`
}

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
      isCaptionUnseen: true,
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
  return html`<p class="state">Prices are served.</p>
${listOf({
  'Prices of': asOf === null ? 'unknown' : html`${day(asOf)} (UTC)`,
  'Served since': moment(since),
  Published: moment(Date.parse(builtAt)),
  Cards: count(counts.cards),
})}`
}
