/** The lines of a valued list as the page shows them: a row, a choice among cards, or an item. */
import { html } from 'hono/html'
import { queryCharsMax } from '../../limits.ts'
import { candidateParts } from '../../lists/candidate-texts.ts'
import { priceOf } from '../../lists/prices.ts'
import type { Card } from '../cards/card-data.ts'
import { isolatedName, nameText, thumbnail } from '../cards/card-parts.ts'
import { changeText, count, inCurrency, price, priceText } from '../shared/page-figures.ts'
import { type Columns, cellsOf } from '../shared/page-parts.ts'
import { cardPath, searchPath } from '../shared/search-form.ts'
import type { Html, PageContext, Site } from '../site.ts'
import { csvOfCard, csvRow, csvText, type ShownLine } from './shown-lines.ts'

/** Which optional columns a table of lines has. */
export interface Shape {
  /** True if the rows of cards begin with a thumbnail. */
  readonly hasPictures: boolean
  /** True if the list is our own CSV. The amounts in it are then shown beside the new ones. */
  readonly hasThen: boolean
}

/**
 * The columns of amounts. For a list that the browser keeps, a script adds the earlier amounts (value-then.browser.ts).
 */
const amountColumns = (currency: string | undefined, { hasThen }: Shape): Columns => ({
  [inCurrency('Unit price', currency)]: 'figure',
  ...(hasThen && { Then: 'figure', Change: 'figure' }),
  [inCurrency(hasThen ? 'Now' : 'Amount', currency)]: 'figure',
})

export const choiceColumns = (currency: string | undefined, shape: Shape): Columns => ({
  Line: 'heading',
  Quantity: 'figure',
  Card: 'text',
  ...amountColumns(currency, shape),
})

export const cardColumns = (currency: string | undefined, shape: Shape): Columns => ({
  ...(shape.hasPictures && { Picture: 'picture' }),
  Quantity: 'figure',
  Card: 'heading',
  Set: 'text',
  Number: 'text',
  Printing: 'text',
  Condition: 'text',
  ...amountColumns(currency, shape),
})

const cents = (amount: number | null): string => (amount === null ? '' : String(Math.round(amount * 100)))

/** `near mint`, `PSA 10`, `BGS 9.5` */
function conditionText(condition: string | null, grade: string | null): string {
  if (grade === null) return condition === null ? 'market' : condition.replace('_', ' ')
  const [grader = '', ...parts] = grade.split('_')
  return `${grader.toUpperCase()} ${parts.join('.')}`
}

/** The cells of the line's earlier amount, and of the change since then. */
function thenCells({ thenCents, valued: { amount } }: ShownLine, { hasThen }: Shape): Html[] {
  if (!hasThen) return []
  const change = thenCents === undefined || amount === null ? html`–` : changeText(changeOf(thenCents, amount))
  return [thenCents === undefined ? html`–` : price(thenCents / 100), change]
}

/** @param then in cents */
export const changeOf = (then: number, amount: number) => ({
  amount: Math.round(amount * 100 - then) / 100,
  percent: then === 0 ? null : ((amount * 100 - then) / then) * 100,
})

/** The attributes that scripts read of a row, besides its CSV. A key is written only if it is not the line's number. */
const rowData = ({ key, thenCents }: ShownLine): Html =>
  html`${thenCents !== undefined && html` data-then="${thenCents}"`}${key.includes('-') && html` data-key="${key}"`}`

export function cardRow(site: Site, context: PageContext, line: ShownLine, shape: Shape): Html {
  const { valued } = line
  const { card, quantity, condition, grade, unitPrice, amount } = valued
  const { id, name, set, number, printing } = card!
  const cells = cellsOf(cardColumns(undefined, shape), [
    ...(shape.hasPictures ? [thumbnail(site, card!) ?? ''] : []),
    count(quantity),
    html`<a href="${cardPath(context, id)}" target="_blank">${nameText(name)}</a>`,
    nameText(set),
    number ?? '–',
    printing ?? '–',
    conditionText(condition, grade),
    price(unitPrice),
    ...thenCells(line, shape),
    price(amount),
  ])
  return html`<tr data-cents="${cents(amount)}"${rowData(line)}${valued.atMarket && html` data-at-market`} data-csv="${csvRow(line)}">${cells}</tr>\n`
}

/** The cards that a line's choice must offer: the nearest card, those of the picks, and the chosen card. */
const fewCandidates = ({ valued: { candidates, card }, picked }: ShownLine) =>
  candidates.filter((candidate, i) => i === 0 || [picked.cheapest, picked.newest, card].includes(candidate))

/**
 * A row with a choice. Each option contains the values that the row shows if the option's card is chosen.
 * @param hasFew true if the choice has only a few of the candidates
 */
export function choiceRow(
  context: PageContext,
  line: ShownLine,
  { hasFew, ...shape }: Shape & { readonly hasFew: boolean },
): Html {
  const { key, listed, valued, picked } = line
  const { card, quantity, unitPrice, amount, text } = valued
  const candidates = hasFew ? fewCandidates(line) : valued.candidates
  const parts = candidateParts(valued.candidates)
  const id = `line-${key}`
  const option = (candidate: Card) => {
    const own = priceOf(candidate, listed, quantity)
    const said = parts[valued.candidates.indexOf(candidate)]!.map(isolatedName)
    const unit = own.unitPrice === null ? 'unknown' : priceText(own.unitPrice)
    const ofPicks = html`${candidate === picked.cheapest && html` data-cheapest`}${candidate === picked.newest && html` data-newest`}`
    return html`<option value="${candidate.id}"${candidate.id === card?.id && html` selected`} data-unit="${cents(own.unitPrice)}" data-cents="${cents(own.amount)}"${own.atMarket && html` data-at-market`}${ofPicks} data-csv="${csvOfCard(listed, { ...valued, card: candidate, ...own })}">${[...said, unit].join(' · ')}</option>`
  }
  const more = html` <a href="${lookUpPath(context, listed, 'with number')}" target="_blank">more<span class="unseen"> cards for this line</span></a>`
  const cells = cellsOf(
    choiceColumns(undefined, shape),
    [
      html`<span id="${id}">${text}</span>`,
      count(quantity),
      html`<span class="choice"><select name="card-${key}" aria-labelledby="${id}" autocomplete="off"><option value="">Choose a card</option>${candidates.map(option)}</select>${more}</span>`,
      card === null ? '–' : price(unitPrice),
      ...thenCells(line, shape),
      card === null ? '–' : price(amount),
    ],
    true,
  )
  const none = csvOfCard(listed, { ...valued, card: null, unitPrice: null, amount: null })
  return html`<tr data-line="${valued.line},${quantity}"${rowData(line)} data-none="${none}" data-text="${csvText(text)}">${cells}</tr>\n`
}

/** A line that was not found, with a link to a look-up of its words. */
export const missedItem = (context: PageContext, line: ShownLine): Html => {
  const { listed, valued } = line
  return html`<li${rowData(line)} data-csv="${csvRow(line)}"><span class="hint">Line ${valued.line}${valued.match === 'unreadable' ? ', can’t be read' : ''}</span> <a href="${lookUpPath(context, listed)}" target="_blank">${valued.text}</a></li>\n`
}

export const excludedItem = (line: ShownLine): Html =>
  html`<li data-csv="${csvRow(line)}"><span class="hint">Line ${line.valued.line}</span> ${line.valued.text}</li>\n`

/**
 * Returns the path of a look-up for the line's name as it was read. A look-up finds nothing if one word is wrong, so
 * the number is included only if a card has it.
 */
function lookUpPath(context: PageContext, { questions, text }: ShownLine['listed'], kind?: 'with number'): string {
  const { name, number } = questions.find(({ name }) => name != null) ?? {}
  const words = [name ?? text, kind && number].filter((part) => part != null).join(' ')
  return `${searchPath(context)}?q=${encodeURIComponent([...words].slice(0, queryCharsMax).join(''))}`
}
