/**
 * The page of a card. It shows the picture, the price, its changes and its history, and then all prices, other
 * printings, and details.
 */
import { html } from 'hono/html'
import type { Dataset } from '../../api/dataset.ts'
import { dayMs } from '../../calendar.ts'
import type { PeriodName } from '../../indexes/changes-file.ts'
import { historyPlan, plans } from '../../plans.ts'
import { pageOf } from '../shared/frame.ts'
import { changeText, day, either, inCurrency, moment, price as priceOf, priceText } from '../shared/page-figures.ts'
import { chart, figures, listOf, panel, periodLinks, table } from '../shared/page-parts.ts'
import { problemPage } from '../shared/problem.ts'
import { mayLookUp, searchPath } from '../shared/search-form.ts'
import { knowSession } from '../shared/session.ts'
import { compressed } from '../shared/shared-content.ts'
import type { App, Html, PageContext, Site } from '../site.ts'
import {
  type Card,
  type CardChanges,
  cardOf,
  changesOf,
  type Day,
  historyOf,
  type Namesakes,
  namesakesOf,
  plainNameOf,
} from './card-data.ts'
import { cardList, gameName, hasPicture, nameText, picture, pictureOrigins, setLink } from './card-parts.ts'
import { pricesTable } from './card-prices.ts'
import { refusalOfLookUp } from './look-up.ts'
import { addressOf } from './look-up-query.ts'

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
  /** How many days the history reaches back, today's data included, but at most a year. */
  readonly span: number
}

interface Known {
  readonly past: Past | undefined
  /** The newest known price of a card without a current price. */
  readonly lastKnown: Day | undefined
}

async function cardPage(site: Site, context: PageContext, id: string): Promise<Response> {
  const refused = refusalOfLookUp(site, context, 'card')
  if (refused !== undefined) return problemPage(site, context, 429, refused)
  const data = await site.data.open()
  const card = data && cardOf(data, id)
  if (data === undefined || card === undefined) return problemPage(site, context, 404, 'No card has this id.')
  const { currency } = site.data.about
  const past = pastOf(data, context, id)
  const namesakes = namesakesOf(data, card)
  const main = html`${firstScreen(site, context, card, { past, lastKnown: lastKnownOf(data, card) })}
<div class="beside">
${panel({ id: 'prices', title: 'Prices' }, pricesTable(card, currency))}
${past && past.days.length > 0 && panel({ id: 'days', title: 'Day by day' }, figures('Price history', daysTable(past.days, currency)))}
${otherCards(site, context, card, namesakes)}
</div>
${panel({ id: 'details', title: 'Details' }, details(site, card, hasPicture(site, card)))}
<p><a href="${searchPath(context)}">Look up another card</a></p>`
  const path = `/cards/${encodeURIComponent(id)}`
  const page = pageOf(site, context, {
    title: [card.name, card.set, card.number].filter((part) => part !== null).join(' · '),
    description: description(site, card),
    main,
    shared: { path, image: hasPicture(site, card) ? card.image! : undefined },
    picturesFrom: pictureOrigins(site, [card, ...namesakes.printings, ...namesakes.elsewhere]),
    ...(past && { styles: ['uplot.css'], scripts: ['uplot.js', 'charts.js'] }),
  })
  // The page contains no text from a visitor, because an unknown id gets a 404 instead.
  return compressed(context, await page)
}

function pastOf(data: Dataset, context: PageContext, id: string): Past | undefined {
  const account = context.var.session?.account
  if (account === undefined || plans[account.plan].rank < plans[historyPlan].rank) return undefined
  const period = periods.find(({ name }) => name === context.req.query('period')) ?? periods[1]
  const all = historyOf(data, id, Number.POSITIVE_INFINITY)
  const changes = changesOf(data, id)
  return { changes, days: historyOf(data, id, period.days), period, span: spanOf(all[0], changes.asOf) }
}

const yearDays = 365

function spanOf(oldest: Day | undefined, asOf: string | null): number {
  if (oldest === undefined || asOf === null) return 0
  return Math.min((Date.parse(asOf) - Date.parse(oldest.date)) / dayMs + 1, yearDays)
}

const lastKnownOf = (data: Dataset, { id, prices }: Card): Day | undefined =>
  prices.market === null
    ? historyOf(data, id, Number.POSITIVE_INFINITY).findLast(({ market }) => market !== null)
    : undefined

function description(site: Site, { name, set, number, rarity, game, prices: { market } }: Card): string {
  const { currency } = site.data.about
  const which = [set, number, rarity, gameName(site, game)].filter((part) => part !== null).join(', ')
  const costs =
    market === null ? 'its market price is unknown' : `${inCurrency('market price', currency)} ${priceText(market)}`
  return `${name} (${which}): ${costs}.`
}

function firstScreen(site: Site, context: PageContext, card: Card, { past, lastKnown }: Known): Html {
  const { currency } = site.data.about
  const { game, number, rarity, printing, prices } = card
  const which = [gameName(site, game), setLink(context, card), number, rarity, printing].filter((part) => part != null)
  return html`<div class="panel card${hasPicture(site, card) ? ' with-picture' : ''}">
${hasPicture(site, card) && picture(card)}
<div class="what">
<h1>${nameText(card.name)}</h1>
<p class="hint">${which.map((part, i) => [i === 0 ? '' : ' · ', part])}</p>
<h2 id="market-price">Market price</h2>
<p class="large">${priceOf(prices.market)}${prices.market === null || currency === undefined ? '' : html` <span class="currency">${currency}</span>`}</p>
${lastKnown && html`<p>Last known price: ${priceOf(lastKnown.market)} on ${day(lastKnown.date)}</p>`}
</div>
${past && html`${changesList(past.changes)}${range(prices.market, past)}`}
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

/** The changes over the five periods. One sentence names the periods without a change, if there are others. */
function changesList({ changes }: CardChanges): Html | '' {
  const all = (Object.entries(periodLabels) as [PeriodName, string][]).map(([name, label]) => ({
    label,
    change: changes[name] ?? null,
  }))
  const known = all.filter(({ change }) => change?.amount != null)
  if (known.length === 0) return ''
  const unknown = all.filter((one) => !known.includes(one)).map(({ label }) => label)
  return html`<div class="changes">
<dl aria-label="Changes">
${known.map(({ label, change }) => html`<div><dt>${label}</dt><dd>${changeText(change)}</dd></div>\n`)}
</dl>
${unknown.length > 0 && html`<p class="hint">No price is known from ${either.format(unknown)} ago.</p>`}
</div>`
}

/** The low and the high of a year, or of a shorter history, at the ends of a line with a mark for today. */
function range(market: number | null, { changes: { low, high }, span }: Past): Html | '' {
  if (low === null || high === null) return ''
  const of = span === yearDays ? 'Year’s' : `${span} ${span === 1 ? 'day’s' : 'days’'}`
  return html`<div class="range">
${market === null || low.market === high.market ? '' : rangeLine(market, low.market, high.market)}
<dl><div><dt>${of} low</dt><dd>${extreme(low)}</dd></div><div><dt>${of} high</dt><dd>${extreme(high)}</dd></div></dl>
</div>`
}

function rangeLine(market: number, low: number, high: number): Html {
  const at = Math.min(Math.max(market, low), high)
  const share = Math.round(((at - low) / (high - low)) * 100)
  return html`<svg class="range-line" role="img" aria-label="Today’s price is ${share}% of the way from the low to the high" viewBox="0 0 100 10" preserveAspectRatio="none">
<line x1="0" y1="5" x2="100" y2="5" vector-effect="non-scaling-stroke"/><line class="today" x1="${share}" y1="0" x2="${share}" y2="10" vector-effect="non-scaling-stroke"/>
</svg>`
}

const extreme = (known: NonNullable<CardChanges['high']>) =>
  html`${priceOf(known.market)} <span class="hint">${day(known.date)}</span>`

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
  html`<div class="note in-place"><p>Price history and changes come with the ${plans[historyPlan].name} plan and above${
    hasAccount ? '.' : html`: <a href="/#plans">see the plans</a>.`
  }</p></div>`

const daysTable = (days: readonly Day[], currency: string | undefined): Html =>
  table({
    caption: inCurrency('Price history', currency),
    isCaptionUnseen: true,
    id: 'history',
    columns: { Date: 'heading', Market: 'figure', Low: 'figure', High: 'figure' },
    rows: days.toReversed().map(({ date, market, low, high }) => [day(date), ...[market, low, high].map(priceOf)]),
  })

/**
 * Other printings of the card, with number and printing. Below them, cards of the same name in other sets, with their
 * set.
 */
function otherCards(site: Site, context: PageContext, card: Card, { printings, elsewhere, hasMore }: Namesakes): Html {
  const name = plainNameOf(card)
  const all = addressOf(searchPath(context), { q: name, game: card.game })
  const isOneSet = printings.every(({ setCode }) => setCode === card.setCode)
  const sameProduct = {
    caption: 'Other printings',
    cards: printings,
    lead: ({ number, printing, rarity }: Card) =>
      [number, printing ?? rarity].filter((part) => part != null).join(' · '),
    // If the printing is unknown, the lead shows the rarity already.
    under: ({ set, rarity, printing }: Card) =>
      [isOneSet ? null : set, printing == null ? null : rarity].filter((part) => part != null).join(' · '),
  }
  const others = {
    caption: 'In other sets',
    cards: elsewhere,
    lead: ({ set, number }: Card) => html`${nameText(set)}${number !== null && ` · ${number}`}`,
    under: ({ rarity, printing }: Card) => [rarity, printing].filter((part) => part != null).join(' · '),
  }
  const more = hasMore && html`\n<p><a href="${all}">All cards called ${nameText(name)}</a></p>`
  const hasOthers = elsewhere.length > 0
  return html`${
    printings.length > 0 &&
    panel(
      { id: 'printings', title: 'Other printings' },
      html`${cardList(site, context, sameProduct)}${!hasOthers && more}`,
    )
  }
${hasOthers && panel({ id: 'elsewhere', title: 'In other sets' }, html`${cardList(site, context, others)}${more}`)}`
}

function details(site: Site, card: Card, isShown: boolean): Html {
  const { game, setCode, number, rarity, printing, id, sources, updatedAt, image } = card
  return listOf({
    Game: gameName(site, game),
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
