/**
 * The page of a card. It has the picture, the price, its changes and its history. Then come all prices, other
 * printings, and details.
 */
import { html } from 'hono/html'
import type { Dataset } from '../../api/dataset.ts'
import type { PeriodName } from '../../indexes/changes-file.ts'
import { historyPlan, plans } from '../../plans.ts'
import {
  type Card,
  type CardChanges,
  cardOf,
  changesOf,
  type Day,
  historyOf,
  type Namesakes,
  namesakesOf,
} from '../card-data.ts'
import { addressOf } from '../look-up-query.ts'
import { knowSession } from '../session.ts'
import { compressed } from '../shared-content.ts'
import type { App, Html, PageContext, Site } from '../site.ts'
import { cardList, gameName, hasPicture, nameText, picture, pictureOrigins, setLink } from './card-parts.ts'
import { pricesTable } from './card-prices.ts'
import { pageOf } from './frame.ts'
import { refusalOfLookUp } from './look-up.ts'
import { changeText, day, inCurrency, moment, price as priceOf, priceText } from './page-figures.ts'
import { chart, figures, listOf, panel, periodLinks, table } from './page-parts.ts'
import { problemPage } from './problem.ts'
import { mayLookUp, searchPath } from './search-form.ts'

export function cardPages(app: App, site: Site): void {
  app.get('/dashboard/cards/:id', (context) => cardPage(site, context, context.req.param('id')))

  // People without an account see this page, too, and it can be shared.
  app.get('/cards/:id', async (context) => {
    await knowSession(site, context)
    if (!mayLookUp(site, context)) return context.redirect('/', 303)
    return cardPage(site, context, context.req.param('id'))
  })
}

/** The past prices that the account's plan includes. */
interface Past {
  readonly changes: CardChanges
  /** The days of the chosen period, oldest first. */
  readonly days: readonly Day[]
  readonly period: Period
}

async function cardPage(site: Site, context: PageContext, id: string): Promise<Response> {
  const refused = refusalOfLookUp(site, context)
  if (refused !== undefined) return problemPage(site, context, 429, refused)
  const data = await site.data.open()
  const card = data && cardOf(data, id)
  if (data === undefined || card === undefined) return problemPage(site, context, 404, 'No card has this id.')
  const { currency } = site.data.about
  const past = pastOf(data, context, id)
  const namesakes = namesakesOf(data, card)
  const main = html`${firstScreen(site, context, card, past)}
<div class="beside">
${panel({ id: 'prices', title: 'Prices' }, pricesTable(card, currency))}
${past && past.days.length > 0 && panel({ id: 'days', title: 'Day by day' }, figures('Price history', daysTable(past.days, currency)))}
${otherCards(site, context, card, namesakes)}
</div>
${panel({ id: 'details', title: 'Details' }, details(card, hasPicture(site, card)))}
<p><a href="${searchPath(context)}">Look up another card</a></p>`
  const path = `/cards/${encodeURIComponent(id)}`
  const page = pageOf(site, context, {
    title: [card.name, card.set, card.number].filter((part) => part !== null).join(' · '),
    description: description(card, currency),
    main,
    shared: { path, image: hasPicture(site, card) ? card.image! : undefined },
    picturesFrom: pictureOrigins(site, [card, ...namesakes.inSet, ...namesakes.elsewhere]),
    ...(past && { styles: ['uplot.css'], scripts: ['uplot.js', 'charts.js'] }),
  })
  // The page contains no text from a visitor, since an id that no card has does not get here.
  return compressed(context, await page)
}

function pastOf(data: Dataset, context: PageContext, id: string): Past | undefined {
  const account = context.var.session?.account
  if (account === undefined || plans[account.plan].rank < plans[historyPlan].rank) return undefined
  const period = periods.find(({ name }) => name === context.req.query('period')) ?? periods[1]
  return { changes: changesOf(data, id), days: historyOf(data, id, period.days), period }
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

function firstScreen(site: Site, context: PageContext, card: Card, past: Past | undefined): Html {
  const { currency } = site.data.about
  const { game, number, rarity, printing, prices } = card
  const which = [gameName(game), setLink(context, card), number, rarity, printing].filter((part) => part != null)
  return html`<div class="panel card${hasPicture(site, card) ? ' with-picture' : ''}">
${hasPicture(site, card) && picture(card)}
<div class="what">
<h1>${nameText(card.name)}</h1>
<p class="hint">${which.map((part, i) => [i === 0 ? '' : ' · ', part])}</p>
<h2 id="market-price">Market price</h2>
<p class="large">${priceOf(prices.market)}${prices.market === null || currency === undefined ? '' : html` <span class="currency">${currency}</span>`}</p>
</div>
${past && html`${changesList(past.changes)}${range(prices.market, past.changes)}`}
${history(context, past, currency)}
</div>`
}

const periodLabels: Readonly<Record<PeriodName, string>> = {
  '1d': '1 day',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  '1y': '1 year',
}

const changesList = ({ changes }: CardChanges) => html`<dl class="changes" aria-label="Changes">
${(Object.entries(periodLabels) as [PeriodName, string][]).map(
  ([name, label]) => html`<div><dt>${label}</dt><dd>${changeText(changes[name] ?? null)}</dd></div>
`,
)}
</dl>`

/** The year's low and high, and a bar that shows where the current price is between them. */
const range = (market: number | null, { low, high }: CardChanges) => html`<div class="range">
${market === null || low === null || high === null || low.market === high.market ? '' : rangeBar(market, low.market, high.market)}
<dl><div><dt>Year’s low</dt><dd>${extreme(low)}</dd></div><div><dt>Year’s high</dt><dd>${extreme(high)}</dd></div></dl>
</div>`

function rangeBar(market: number, low: number, high: number): Html {
  const at = Math.min(Math.max(market, low), high)
  const share = Math.round(((at - low) / (high - low)) * 100)
  return html`<meter min="${low}" max="${high}" value="${at}" aria-label="The price between the year’s low and high" aria-valuetext="${share}% of the way from the year’s low to its high"></meter>`
}

const extreme = (known: CardChanges['high']) =>
  known === null ? priceOf(null) : html`${priceOf(known.market)} <span class="hint">${day(known.date)}</span>`

const periods = [
  { name: '30d', days: 30, label: '30 days' },
  { name: '90d', days: 90, label: '90 days' },
  { name: '1y', days: 365, label: '1 year' },
  { name: 'all', days: Number.POSITIVE_INFINITY, label: 'all' },
] as const
type Period = (typeof periods)[number]

/** The chart, or what is shown in its place. */
function history(context: PageContext, past: Past | undefined, currency: string | undefined): Html {
  const links = periods.map(({ name, label }) => ({
    to: `${context.req.path}?period=${name}#price-history`,
    label,
    isChosen: name === past?.period.name,
  }))
  const legend = html`<span class="line-of">${inCurrency('Market', currency)}</span> <span class="band">Low to high</span>`
  return html`<section class="past" aria-labelledby="price-history">
<div class="head"><h2 id="price-history">Price history</h2>${past && periodLinks(links)}</div>
${
  past === undefined
    ? withoutHistory(context.var.session !== undefined)
    : past.days.length === 0
      ? html`<p class="note">This card has no prices in this period.</p>`
      : chart({ kind: 'band', table: 'history', name: 'Price history', legend })
}
</section>`
}

const withoutHistory = (hasAccount: boolean) =>
  html`<p class="note in-place">Price history and changes come with the ${plans[historyPlan].name} plan and above${
    hasAccount ? '.' : html`: <a href="/#plans">see the plans</a>.`
  }</p>`

const daysTable = (days: readonly Day[], currency: string | undefined): Html =>
  table({
    caption: inCurrency('Price history', currency),
    isCaptionUnseen: true,
    id: 'history',
    columns: { Date: 'heading', Market: 'figure', Low: 'figure', High: 'figure' },
    rows: days.toReversed().map(({ date, market, low, high }) => [day(date), ...[market, low, high].map(priceOf)]),
  })

/**
 * Cards of the same name. Those in the same set are listed with number and printing. Those in other sets are listed
 * with their set.
 */
function otherCards(site: Site, context: PageContext, card: Card, { inSet, elsewhere, hasMore }: Namesakes): Html {
  const all = addressOf(searchPath(context), { q: card.name, game: card.game })
  const printings = {
    caption: 'Other printings',
    cards: inSet,
    lead: ({ number, printing, rarity }: Card) =>
      [number, printing ?? rarity].filter((part) => part != null).join(' · '),
    under: ({ rarity }: Card) => rarity ?? '',
  }
  const others = {
    caption: 'In other sets',
    cards: elsewhere,
    lead: ({ set, number }: Card) => html`${nameText(set)}${number !== null && ` · ${number}`}`,
    under: ({ rarity, printing }: Card) => [rarity, printing].filter((part) => part != null).join(' · '),
  }
  return html`${inSet.length > 0 && panel({ id: 'printings', title: 'Other printings' }, cardList(site, context, printings))}
${
  elsewhere.length > 0 &&
  panel(
    { id: 'elsewhere', title: 'In other sets' },
    html`${cardList(site, context, others)}
${hasMore && html`<p><a href="${all}">All cards called ${nameText(card.name)}</a></p>`}`,
  )
}`
}

function details(card: Card, isShown: boolean): Html {
  const { game, setCode, number, rarity, printing, id, sources, updatedAt, image } = card
  return listOf({
    Game: gameName(game),
    Set: html`${nameText(card.set)} (<code>${setCode}</code>)`,
    Number: number ?? 'unknown',
    Rarity: rarity ?? 'unknown',
    Printing: printing,
    ID: html`<code>${id}</code>`,
    Sources: sources.length === 0 ? 'unknown' : sources.join(', '),
    Updated: updatedAt === null ? 'unknown' : moment(Date.parse(updatedAt)),
    Picture: isShown || image === null ? null : pictureLink(card.name, image),
  })
}

const pictureLink = (name: string, image: string) =>
  html`<a href="${image}" rel="noreferrer" target="_blank">Picture of ${name}</a> (on ${new URL(image).host})`
