/** A card: its price, how it moved, conditions and grades, and the history where the account's plan has it. */
import { html } from 'hono/html'
import type { PeriodName } from '../../indexes/changes-file.ts'
import { historyPlan, plans } from '../../plans.ts'
import { type Card, type CardChanges, cardOf, changesOf, type Day, historyOf } from '../card-data.ts'
import { knowSession } from '../session.ts'
import type { App, Html, PageContext, Site } from '../site.ts'
import { pageOf } from './frame.ts'
import { gameName, refusalOfLookUp } from './look-up.ts'
import { changeText, day, inCurrency, moment, price as priceOf, priceText } from './page-figures.ts'
import { drawn, listOf, panel, periodLinks, picture, pictureOrigins, table } from './page-parts.ts'
import { problemPage } from './problem.ts'
import { mayLookUp, searchPath } from './search-form.ts'

export function cardPages(app: App, site: Site): void {
  app.get('/dashboard/cards/:id', (context) => cardPage(site, context, context.req.param('id')))

  // People without an account see it too, and it can be shared.
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
  const period = periods.find(({ name }) => name === context.req.query('period')) ?? periods[1]
  const main = html`<p class="way-back"><a href="${searchPath(context)}">Look up another card</a></p>
<div class="${origins === undefined ? 'card' : 'card with-picture'}">
${origins && picture(card)}
${heading(card, hasHistory ? changesOf(data, id) : undefined, about.currency)}
</div>
${prices(card, about.currency)}
${card.markets?.length ? otherMarkets(card.markets) : ''}
${hasHistory ? historySection(context.req.path, historyOf(data, id, period.days), period.name, about.currency) : withoutHistory(account !== undefined)}
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

const periodLabels: Readonly<Record<PeriodName, string>> = {
  '1d': '1 day',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  '1y': '1 year',
}

/** The market price, large, and under it how it moved. @param changes undefined where the plan does not have them */
const marketPrice = (
  { prices: { market } }: Card,
  changes: CardChanges | undefined,
  currency: string | undefined,
) => html`<section class="market" aria-labelledby="market-price">
<h2 id="market-price">Market price</h2>
<p class="large">${priceOf(market)}${market === null || currency === undefined ? '' : html` <span class="currency">${currency}</span>`}</p>
${changes === undefined ? '' : html`${changesList(changes)}${range(market, changes)}`}
</section>`

const changesList = ({ changes }: CardChanges) => html`<dl class="changes" aria-label="Changes">
${(Object.entries(periodLabels) as [PeriodName, string][]).map(
  ([name, label]) => html`<div><dt>${label}</dt><dd>${changeText(changes[name] ?? null)}</dd></div>
`,
)}
</dl>`

/** The year's low and high, and between them where the price is now. */
const range = (market: number | null, { low, high }: CardChanges) => html`<div class="range">
${market === null || low === null || high === null || low.market === high.market ? '' : rangeBar(market, low.market, high.market)}
<dl><div><dt>Year’s low</dt><dd>${extreme(low)}</dd></div><div><dt>Year’s high</dt><dd>${extreme(high)}</dd></div></dl>
</div>`

function rangeBar(market: number, low: number, high: number): Html {
  const share = Math.min(Math.max((market - low) / (high - low), 0), 1)
  const at = `${Math.round(share * 100)}%`
  return html`<svg class="range-bar" role="img" aria-label="The price is ${at} of the way from the year’s low to its high" width="100%" height="16">
<rect y="6" width="100%" height="4" rx="2"/><rect class="up-to" y="6" width="${at}" height="4" rx="2"/><circle cx="${at}" cy="8" r="6"/>
</svg>`
}

const extreme = (known: CardChanges['high']) =>
  known === null ? priceOf(null) : html`${priceOf(known.market)} <span class="hint">${day(known.date)}</span>`

function prices(card: Card, currency: string | undefined): Html {
  const { market, low, mid, high, conditions, graded } = card.prices
  const tables = [
    ['All prices', 'Price', { Market: market, Low: low, Mid: mid, High: high }],
    ['Conditions', 'Condition', renamed(conditions, words)],
    ['Graded', 'Grade', renamed(graded, gradeName)],
  ] as const
  const shown = tables.map(([caption, first, rows]) => {
    if (Object.keys(rows).length === 0) return ''
    return table({
      caption: inCurrency(caption, currency),
      columns: { [first]: 'heading', [first === 'Price' ? 'Amount' : 'Price']: 'figure' },
      rows: Object.entries(rows).map(([name, value]) => [name, priceOf(value)]),
    })
  })
  return panel({ id: 'prices', title: 'Prices', kind: 'prices' }, html`<div class="tables">\n${shown}\n</div>`)
}

const renamed = <Value>(values: Readonly<Record<string, Value>>, nameOf: (key: string) => string) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [nameOf(key), value]))

function otherMarkets(markets: NonNullable<Card['markets']>): Html {
  const rows = markets.map(({ market, currency, price, low, buylist, updatedAt }) => [
    market,
    ...[price, low, buylist].map((value) => html`<span>${priceOf(value)}${value !== null && ` ${currency}`}</span>`),
    updatedAt === null ? 'unknown' : day(updatedAt),
  ])
  const columns = { Market: 'heading', Price: 'figure', Low: 'figure', Buylist: 'figure', Date: 'text' } as const
  return panel(
    { id: 'other-markets', title: 'Other markets' },
    table({ caption: 'Other markets', columns, narrow: 'labelled', rows }),
  )
}

/** `near_mint` → `Near mint` */
const words = (key: string) => `${key.charAt(0).toUpperCase()}${key.slice(1).replaceAll('_', ' ')}`

/** `bgs_9_5` → `BGS 9.5` */
function gradeName(key: string): string {
  const [grader = '', ...grade] = key.split('_')
  return `${grader.toUpperCase()} ${grade.join('.')}`
}

const periods = [
  { name: '30d', days: 30, label: '30 days' },
  { name: '90d', days: 90, label: '90 days' },
  { name: '1y', days: 365, label: '1 year' },
  { name: 'all', days: Number.POSITIVE_INFINITY, label: 'all' },
] as const

/** @param days oldest first */
function historySection(path: string, days: readonly Day[], chosen: string, currency: string | undefined): Html {
  const to = (name: string) => `${path}?period=${name}#price-history`
  const links = periods.map(({ name, label }) => ({ to: to(name), label, isChosen: name === chosen }))
  return panel(
    { id: 'price-history', title: 'Price history', beside: periodLinks(links) },
    days.length === 0
      ? html`<p class="note">This card has no prices in this period.</p>`
      : drawnHistory(days, currency),
  )
}

function drawnHistory(days: readonly Day[], currency: string | undefined): Html {
  const legend = html`<span class="line-of">${inCurrency('Market', currency)}</span> <span class="band">Low to high</span>`
  const figures = table({
    caption: inCurrency('Price history', currency),
    id: 'history',
    columns: { Date: 'heading', Market: 'figure', Low: 'figure', High: 'figure' },
    rows: days.toReversed().map(({ date, market, low, high }) => [day(date), ...[market, low, high].map(priceOf)]),
  })
  return drawn({ kind: 'band', table: 'history', name: 'Price history', legend }, figures)
}

const withoutHistory = (hasAccount: boolean) =>
  panel(
    { id: 'price-history', title: 'Price history' },
    html`<p class="note">Price history and changes come with the ${plans[historyPlan].name} plan and above${
      hasAccount ? '.' : html`: <a href="/#plans">see the plans</a>.`
    }</p>`,
  )

function details(card: Card, isShown: boolean): Html {
  const { game, set, setCode, number, rarity, printing, id, sources, updatedAt, image } = card
  const all = {
    Game: gameName(game),
    Set: html`${set} (<code>${setCode}</code>)`,
    Number: number ?? 'unknown',
    Rarity: rarity ?? 'unknown',
    Printing: printing,
    ID: html`<code>${id}</code>`,
    Sources: sources.length === 0 ? 'unknown' : sources.join(', '),
    Updated: updatedAt === null ? 'unknown' : moment(Date.parse(updatedAt)),
    Picture: isShown || image === null ? null : pictureLink(card.name, image),
  }
  return panel({ id: 'details', title: 'Details' }, listOf(all))
}

const pictureLink = (name: string, image: string) =>
  html`<a href="${image}" rel="noreferrer" target="_blank">Picture of ${name}</a> (on ${new URL(image).host})`
