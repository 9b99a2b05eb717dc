/**
 * `/sets/{game}/{code}`: the page of a set shows what one of each of its cards costs, its dearest cards, and a table of
 * all cards. The table is also available as CSV (`format=csv`), and as a list to print (`view=checklist`).
 */
import { html } from 'hono/html'
import type { Dataset } from '../../api/dataset.ts'
import { searchLimitMax, setCardsShownMax } from '../../limits.ts'
import { cardsAt, csvOfSetFrom, type SetDetails, setDetailsOf } from '../cards/card-data.ts'
import { cardLink, cardList, gameName, hasPicture, nameText, pictureOrigins, thumbnail } from '../cards/card-parts.ts'
import { refusalOfLookUp } from '../cards/look-up.ts'
import { pageIn } from '../cards/look-up-query.ts'
import { pageOf } from '../shared/frame.ts'
import { changeText, count, day, inCurrency, number, price, priceText } from '../shared/page-figures.ts'
import { listOf, panel, sortsOf, table } from '../shared/page-parts.ts'
import { problemPage } from '../shared/problem.ts'
import { mayLookUp, setPagePath, valuePath } from '../shared/search-form.ts'
import { knowSession } from '../shared/session.ts'
import { compressed } from '../shared/shared-content.ts'
import { Turns } from '../shared/turns.ts'
import type { App, Html, PageContext, Site } from '../site.ts'
import { cardSortOf, cardsOfSet, numbersOf, type SetCard, sortedCards } from './set-data.ts'

const cardsShown = 100

export function setPages(app: App, site: Site): void {
  app.get('/sets/:game/:code', async (context) => {
    await knowSession(site, context)
    if (!mayLookUp(site, context)) return context.redirect('/', 303)
    const refused = refusalOfLookUp(site, context, 'card')
    if (refused !== undefined) return problemPage(site, context, 429, refused)
    const data = await site.data.open()
    const { game, code } = context.req.param()
    const ofGame = site.data.games.numberOf(game)
    const set = ofGame === -1 ? undefined : data?.search.setsWithCode(code, ofGame)[0]
    if (data === undefined || set === undefined) {
      return problemPage(site, context, 404, 'No set has this code.')
    }
    if (context.req.query('format') === 'csv') return setCsv(context, data, setDetailsOf(data, set))
    // A script compares these numbers with the lists that the browser keeps.
    if (context.req.query('format') === 'numbers') {
      return compressed(context, context.json(numbersOf(await cardsOfSet(data, setDetailsOf(data, set), new Turns()))))
    }
    return setPage(site, context, data, set)
  })
}

interface Shown {
  readonly details: SetDetails
  readonly cards: readonly SetCard[]
  readonly sort: string
}

async function setPage(site: Site, context: PageContext, data: Dataset, set: number): Promise<Response> {
  const turns = new Turns()
  const details = setDetailsOf(data, set)
  const sort = cardSortOf(context.req.query('sort') ?? '')
  const shown = { details, sort, cards: sortedCards(await cardsOfSet(data, details, turns), sort) }
  const isChecklist = context.req.query('view') === 'checklist'
  const dearest = cardsAt(data, data.setFigures.dearestOf(set))
  const page = shown.cards.slice(pageIn(context) * cardsShown, (pageIn(context) + 1) * cardsShown)
  const main = html`<div class="panel set-page">
<h1>${nameText(details.name)}</h1>
${facts(site, details)}
${worth(site, data, set, details.cardCount)}
<p class="kept-of-set" data-numbers="${setPagePath(details)}?format=numbers">What have you of it? <a href="${valuePath(context)}">Value a list</a> and keep it on this device, then this page marks your cards.</p>
</div>
${
  isChecklist
    ? panel({ id: 'cards', title: 'Checklist' }, checklist(site, shown))
    : html`${dearest.length > 0 && panel({ id: 'dearest', title: 'Dearest cards' }, cardList(site, context, { caption: 'Dearest cards', cards: dearest, under: ({ number, rarity, printing }) => [number, rarity, printing].filter((part) => part != null).join(' · ') }))}
${panel({ id: 'cards', title: 'Cards' }, cardsSection(site, context, shown, page))}`
}
<p><a href="/sets?game=${details.game}">Other sets of ${gameName(site, details.game)}</a></p>`
  const rendered = pageOf(site, context, {
    title: `${details.name} · ${gameName(site, details.game)}`,
    description: `All ${details.cardCount} cards of ${details.name} (${gameName(site, details.game)}) with their prices, and what one of each costs.`,
    main,
    scripts: ['kept-set.js'],
    shared: { path: setPagePath(details) },
    picturesFrom: pictureOrigins(site, [...dearest, ...page.map(({ card }) => card)]),
  })
  // The page contains no text from a visitor, because the code of an unknown set gets a 404 instead.
  return compressed(context, await rendered)
}

const facts = (site: Site, { game, code, releaseDate, cardCount, printedTotal }: SetDetails) =>
  listOf({
    Game: gameName(site, game),
    Code: html`<code>${code}</code>`,
    Released: releaseDate === null ? 'unknown' : day(releaseDate),
    Cards: count(cardCount),
    'Printed total': printedTotal === null ? null : count(printedTotal),
  })

/** Shows what one of each number costs, what all printings cost, and how many of them have a price. */
function worth({ data: { about } }: Site, data: Dataset, set: number, cardCount: number): Html {
  const { allCents, oneOfEachCents, pricedPrintings, numbers, pricedNumbers } = data.setFigures.valueOf(set)
  const row = (what: string, cents: number, priced: number, all: number) => [
    what,
    `${number(priced)} of ${number(all)}`,
    price(priced === 0 ? null : cents / 100),
  ]
  return table({
    caption: 'What one of each costs',
    columns: { Cards: 'heading', 'With a price': 'figure', [inCurrency('Price', about.currency)]: 'figure' },
    rows: [
      row('The cheapest printing of each number', oneOfEachCents, pricedNumbers, numbers),
      row('All printings', allCents, pricedPrintings, cardCount),
    ],
  })
}

function cardsSection(
  site: Site,
  context: PageContext,
  { details, cards, sort }: Shown,
  page: readonly SetCard[],
): Html {
  const address = setPagePath(details)
  const [at, priceHead, changeHead] = [pageIn(context), inCurrency('Price', site.data.about.currency), '30 days']
  const hasPictures = page.some(({ card }) => hasPicture(site, card))
  const hasChanges = cards.some(({ change }) => change?.amount != null)
  const hasPrintings = cards.some(({ card }) => card.printing != null)
  const columns = {
    ...(hasPictures && { Picture: 'picture' as const }),
    Number: 'text',
    Card: 'heading',
    Rarity: 'text',
    ...(hasPrintings && { Printing: 'text' as const }),
    [priceHead]: 'figure',
    ...(hasChanges && { [changeHead]: 'figure' as const }),
  } as const
  const names = {
    Number: 'number',
    Card: 'name',
    Rarity: 'rarity',
    Printing: 'printing',
    [priceHead]: 'price',
    [changeHead]: 'change',
  }
  const turn = (to: number, label: string) =>
    html`<a class="button" href="${address}?sort=${sort}&amp;page=${to}#cards">${label}</a> `
  const first = at * cardsShown + 1
  return html`<p class="hint">${count(cards.length)} ${cards.length === 1 ? 'card' : 'cards'}${
    page.length < cards.length && page.length > 0 && `, ${number(first)} to ${number(first + page.length - 1)} shown`
  }. <a href="${address}?format=csv">Download CSV</a> · <a href="${address}?view=checklist">Checklist to print</a></p>
${table({
  caption: 'Cards of the set',
  isCaptionUnseen: true,
  columns,
  sorts: sortsOf(names, sort, (to) => `${address}?sort=${to}#cards`),
  narrow: 'line',
  kind: 'rows',
  rows: page.map(({ card, change }) => [
    ...(hasPictures ? [thumbnail(site, card) ?? ''] : []),
    card.number ?? '',
    cardLink(context, card),
    card.rarity ?? '',
    ...(hasPrintings ? [card.printing ?? ''] : []),
    price(card.prices.market),
    change?.amount == null ? '' : changeText(change),
  ]),
})}
<p class="choice">${at > 0 && turn(at, 'Previous page')}${first + page.length <= cards.length && page.length > 0 && turn(at + 2, 'Next page')}</p>`
}

const checklist = (site: Site, { cards }: Shown) =>
  table({
    caption: 'Checklist',
    isCaptionUnseen: true,
    kind: 'checklist',
    columns: {
      '': 'text',
      Number: 'text',
      Card: 'heading',
      Rarity: 'text',
      Printing: 'text',
      [inCurrency('Price', site.data.about.currency)]: 'figure',
    },
    rows: cards.map(({ card }) => [
      '☐',
      card.number ?? '',
      nameText(card.name),
      card.rarity ?? '',
      card.printing ?? '',
      card.prices.market === null ? '' : priceText(card.prices.market),
    ]),
  })

/** Sends the cards of a set as the API's CSV, with one header row. */
async function setCsv(context: PageContext, data: Dataset, details: SetDetails): Promise<Response> {
  const turns = new Turns()
  const parts: string[] = []
  for (let offset = 0; offset < Math.min(details.cardCount, setCardsShownMax); offset += searchLimitMax) {
    parts.push(csvOfSetFrom(data, details, offset))
    await turns.pause()
  }
  const name = `${details.game}-${details.code.replaceAll(/[^\w.-]/g, '-')}.csv`
  context.header('Content-Type', 'text/csv; charset=utf-8; header=present')
  context.header('Content-Disposition', `attachment; filename="${name}"`)
  return compressed(context, context.body(parts.join('')))
}
