/** The lines of a valued list as the page shows them: a row, a choice among cards, or an item. */
import { html } from 'hono/html'
import type { ExtendedCard } from '../../../clients/typescript/src/types.ts'
import { priceOf } from '../../../clients/typescript/src/valuation.ts'
import { queryCharsMax } from '../../limits.ts'
import type { Html, PageContext, Site } from '../site.ts'
import { csvOfCard, csvRow, csvText, type ShownLine } from '../valued-list.ts'
import { nameText, thumbnail } from './card-parts.ts'
import { count, inCurrency, price, priceText } from './page-figures.ts'
import { type Columns, cellsOf } from './page-parts.ts'
import { cardPath, searchPath } from './search-form.ts'

export const choiceColumns = (currency: string | undefined): Columns => ({
  Line: 'heading',
  Quantity: 'figure',
  Card: 'text',
  [inCurrency('Unit price', currency)]: 'figure',
  [inCurrency('Amount', currency)]: 'figure',
})

/** @param hasPictures true if the rows begin with a thumbnail */
export const cardColumns = (currency: string | undefined, hasPictures: boolean): Columns => ({
  ...(hasPictures && { Picture: 'picture' }),
  Quantity: 'figure',
  Card: 'heading',
  Set: 'text',
  Number: 'text',
  Printing: 'text',
  Condition: 'text',
  [inCurrency('Unit price', currency)]: 'figure',
  [inCurrency('Amount', currency)]: 'figure',
})

const cents = (amount: number | null): string => (amount === null ? '' : String(Math.round(amount * 100)))

/** `near mint`, `PSA 10`, `BGS 9.5` */
function conditionText(condition: string | null, grade: string | null): string {
  if (grade === null) return condition === null ? 'market' : condition.replace('_', ' ')
  const [grader = '', ...parts] = grade.split('_')
  return `${grader.toUpperCase()} ${parts.join('.')}`
}

export function cardRow(site: Site, context: PageContext, { valued }: ShownLine, hasPictures: boolean): Html {
  const { card, quantity, condition, grade, unitPrice, amount } = valued
  const { id, name, set, number, printing } = card!
  const cells = cellsOf(cardColumns(undefined, hasPictures), [
    ...(hasPictures ? [thumbnail(site, card!) ?? ''] : []),
    count(quantity),
    html`<a href="${cardPath(context, id)}" target="_blank">${nameText(name)}</a>`,
    nameText(set),
    number ?? '–',
    printing ?? '–',
    conditionText(condition, grade),
    price(unitPrice),
    price(amount),
  ])
  return html`<tr data-cents="${cents(amount)}"${valued.atMarket && html` data-at-market`} data-csv="${csvRow(valued)}">${cells}</tr>\n`
}

/** The cards that a line's choice must offer: the nearest card, those of the picks, and the chosen card. */
const fewCandidates = ({ valued: { candidates, card }, picked }: ShownLine) =>
  candidates.filter((candidate, i) => i === 0 || [picked.cheapest, picked.newest, card].includes(candidate))

/**
 * A row with a choice. Each option has what the row shows if its card is chosen.
 * @param hasFew true if the choice has only a few of the candidates
 */
export function choiceRow(context: PageContext, line: ShownLine, hasFew: boolean): Html {
  const { key, listed, valued, picked } = line
  const { card, quantity, unitPrice, amount, text } = valued
  const candidates = hasFew ? fewCandidates(line) : valued.candidates
  const id = `line-${key}`
  const option = (candidate: ExtendedCard) => {
    const own = priceOf(candidate, listed, quantity)
    const said = [candidate.name, candidate.set, candidate.number, candidate.printing]
    const unit = own.unitPrice === null ? 'unknown' : priceText(own.unitPrice)
    const ofPicks = html`${candidate === picked.cheapest && html` data-cheapest`}${candidate === picked.newest && html` data-newest`}`
    return html`<option value="${candidate.id}"${candidate.id === card?.id && html` selected`} data-unit="${cents(own.unitPrice)}" data-cents="${cents(own.amount)}"${own.atMarket && html` data-at-market`}${ofPicks} data-csv="${csvOfCard({ ...valued, card: candidate, ...own })}">${[...said, unit].filter((part) => part !== null).join(' · ')}</option>`
  }
  const more = html` <a href="${lookUpPath(context, listed, 'with number')}" target="_blank">more<span class="unseen"> cards for this line</span></a>`
  const cells = cellsOf(
    choiceColumns(undefined),
    [
      html`<span id="${id}">${text}</span>`,
      count(quantity),
      html`<span class="choice"><select name="card-${key}" aria-labelledby="${id}" autocomplete="off"><option value="">Choose a card</option>${candidates.map(option)}</select>${more}</span>`,
      card === null ? '–' : price(unitPrice),
      card === null ? '–' : price(amount),
    ],
    true,
  )
  const none = csvOfCard({ ...valued, card: null, unitPrice: null, amount: null })
  return html`<tr data-line="${valued.line},${quantity}" data-none="${none}" data-text="${csvText(text)}">${cells}</tr>\n`
}

/** A line that was not found, with a link to a look-up of its words. */
export const missedItem = (context: PageContext, { listed, valued }: ShownLine): Html =>
  html`<li data-csv="${csvRow(valued)}"><span class="hint">Line ${valued.line}${valued.match === 'unreadable' ? ', can’t be read' : ''}</span> <a href="${lookUpPath(context, listed)}" target="_blank">${valued.text}</a></li>\n`

export const excludedItem = ({ valued }: ShownLine): Html =>
  html`<li data-csv="${csvRow(valued)}"><span class="hint">Line ${valued.line}</span> ${valued.text}</li>\n`

/**
 * The path of a look-up for the line's name as it was read. A look-up finds nothing if one word is wrong, so the number
 * is included only if a card has it.
 */
function lookUpPath(context: PageContext, { questions, text }: ShownLine['listed'], kind?: 'with number'): string {
  const { name, number } = questions.find(({ name }) => name != null) ?? {}
  const words = [name ?? text, kind && number].filter((part) => part != null).join(' ')
  return `${searchPath(context)}?q=${encodeURIComponent([...words].slice(0, queryCharsMax).join(''))}`
}
