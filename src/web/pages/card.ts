/** A card: its price, how it moved, conditions and grades, and the history where the account's plan has it. */
import { html } from 'hono/html'
import { historyPlan, plans } from '../../plans.ts'
import type { App } from '../app.ts'
import { type Card, type CardChanges, cardOf, changesOf, historyOf } from '../cards.ts'
import { knowSession } from '../session.ts'
import type { Html, PageContext, Site } from '../site.ts'
import { marketPrice } from './changes.ts'
import { day, inCurrency, moment, price as priceOf, priceText } from './figures.ts'
import { pageOf } from './frame.ts'
import { historySection, periodOf } from './history.ts'
import { gameName, refusalOfLookUp } from './look-up.ts'
import { listOf, panel, table } from './parts.ts'
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
${origins && picture(card)}
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
    Picture: isShown || image === null ? null : pictureLink(card),
  }
  return panel({ id: 'details', title: 'Details' }, listOf(all))
}
