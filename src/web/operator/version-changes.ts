/** Shows the changes of a version, from its report. It renders at most one list in each turn of the thread. */
import { setImmediate as pause } from 'node:timers/promises'
import { html } from 'hono/html'
import { type Comparison, noReport, type Report, reasons } from '../../indexes/report-file.ts'
import { gameName, nameText, setPath } from '../cards/card-parts.ts'
import { changeText, count, day, inCurrency, price } from '../shared/page-figures.ts'
import { figures, panel, table } from '../shared/page-parts.ts'
import { cardPath } from '../shared/search-form.ts'
import type { Html, PageContext, Site } from '../site.ts'

/** @param report undefined if the version has none */
export async function changesPanel(
  site: Site,
  context: PageContext,
  version: string,
  report: Report | undefined,
): Promise<Html> {
  const { currency } = site.data.about
  const shown = (content: Html) => panel({ id: 'changes', title: `What changed in ${version}` }, content)
  if (report === undefined) return shown(html`<p class="first">There is no report: ${noReport}.</p>`)
  if (report.base === null)
    return shown(html`<p class="first">It is compared with none: ${reasons[report.reason]}.</p>`)
  const { base, newCards, goneCards, newSets, unpricedCards, up, down } = report
  const [heading, before] = [inCurrency('Price', currency), inCurrency('Price before', currency)]
  const list = (title: string, { count: all, first }: Listed, column: string) =>
    cardsList(context, { title, all, column, rows: first.map((card) => [card, price(card.price)] as const) })
  const moves = (title: string, moved: Comparison['up']) =>
    cardsList(context, {
      title,
      all: moved.length,
      column: heading,
      rows: moved.map((move) => [move, moveText(move)] as const),
    })
  const unpriced = { ...unpricedCards, first: unpricedCards.first.map((card) => ({ ...card, price: card.before })) }
  const parts: (() => Html)[] = [
    () => gamesTable(site, report),
    () => html`<div class="beside">${moves('Largest rises', up)}${moves('Largest falls', down)}</div>`,
    () => setsList(site, context, newSets),
    () => list('New cards', newCards, heading),
    () => list('Gone cards', goneCards, before),
    () => list('Cards without a price now', unpriced, before),
  ]
  const rendered: Html[] = []
  for (const part of parts) {
    await pause()
    rendered.push(part())
  }
  const since = html`<p>Since <code>${base.version}</code>, with prices of ${base.asOf === null ? 'an unknown day' : day(base.asOf)}.</p>`
  return shown(html`${since}${rendered}`)
}

interface ListedCard {
  readonly id: string
  readonly name: string
  readonly set: string
  readonly number: string | null
}

interface Listed {
  readonly count: number
  readonly first: readonly (ListedCard & { readonly price: number | null })[]
}

function gamesTable(site: Site, { games }: Comparison): Html {
  const others = games.filter((game) => game.new + game.gone + game.changed > 0)
  if (others.length === 0) return html`<p class="note">No card is new or gone, and no price is another one.</p>`
  return table({
    caption: 'Cards by game',
    columns: { Game: 'heading', New: 'figure', Gone: 'figure', 'Another price': 'figure' },
    rows: others.map(({ game, new: added, gone, changed }) => [
      gameName(site, game),
      ...[added, gone, changed].map((value) => count(value)),
    ]),
  })
}

/** The new price, and the old price under it. */
const moveText = ({ before, price: now, percent }: Comparison['up'][number]): Html => {
  // Prices have two decimals, so their difference is rounded to two.
  const amount = Math.round((now - before) * 100) / 100
  return html`${price(now)} <span class="second">from ${price(before)} ${changeText({ from: before, amount, percent })}</span>`
}

interface CardsList {
  readonly title: string
  /** How many cards there are in all. */
  readonly all: number
  readonly column: string
  readonly rows: readonly (readonly [card: ListedCard, price: Html])[]
}

function cardsList(context: PageContext, { title, all, column, rows }: CardsList): Html {
  const cells = rows.map(([{ id, name, set, number }, text]) => [
    html`<a href="${cardPath(context, id)}">${nameText(name)}</a> <span class="hint">${nameText(set)}${number !== null && ` ${number}`}</span>`,
    text,
  ])
  return listed(title, all, { Card: 'heading', [column]: 'figure' }, cells)
}

const setsList = (site: Site, context: PageContext, { count: all, first }: Comparison['newSets']): Html =>
  listed(
    'New sets',
    all,
    { Set: 'heading', Released: 'text', Cards: 'figure' },
    first.map(({ game, code, name, releaseDate, cards }) => [
      html`<a href="${setPath(context, game, code)}">${nameText(name)}</a> <span class="hint">${gameName(site, game)}</span>`,
      releaseDate === null ? 'unknown' : day(releaseDate),
      count(cards),
    ]),
  )

function listed(
  title: string,
  all: number,
  columns: Readonly<Record<string, 'heading' | 'text' | 'figure'>>,
  rows: readonly (readonly unknown[])[],
): Html {
  if (all === 0) return html`<p class="note">${title}: none.</p>`
  const caption = `${title}: ${all > rows.length ? `the first ${rows.length} of ${all}` : all}`
  return figures(title, table({ caption, columns, rows, kind: 'rows' }))
}
