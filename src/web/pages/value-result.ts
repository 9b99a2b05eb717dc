/** The result of a list: the sum, the lines to decide, the priced lines, and those that were not found. */
import { html } from 'hono/html'
import type { ListLine, ReadList } from '../../../clients/typescript/src/list.ts'
import type { ExtendedCard } from '../../../clients/typescript/src/types.ts'
import { priceOf, type Totals, type ValuedLine } from '../../../clients/typescript/src/valuation.ts'
import type { Html, PageContext } from '../site.ts'
import { csvHead, csvRow, rowsInTurns, type Turns } from '../valued-list.ts'
import { count, inCurrency, number, price, priceText } from './page-figures.ts'
import { type Columns, cellsOf, panel, table } from './page-parts.ts'
import { cardPath, valuePath } from './search-form.ts'

interface Result {
  readonly totals: Totals
  readonly lines: readonly ValuedLine[]
  readonly read: ReadList
  readonly list: Html | ''
  readonly game: string | undefined
  readonly currency: string | undefined
}

export async function resultSection(context: PageContext, result: Result, turns: Turns): Promise<Html> {
  const { totals, lines, read, list, game, currency } = result
  const ambiguous = lines.filter(({ match }) => match === 'ambiguous')
  const found = lines.filter(({ match, card }) => match !== 'ambiguous' && card !== null)
  const missing = lines.filter(({ match, card }) => match !== 'ambiguous' && card === null)
  const listedAt = new Map(lines.map((line, i) => [line, read.lines[i]!]))
  const toChoose = await rowsInTurns(ambiguous, (line) => choice(line, listedAt.get(line)!, currency), turns)
  const priced = await rowsInTurns(found, (line) => row(context, line), turns)
  const unknown = await rowsInTurns(missing, missed, turns)
  return html`<form method="post" action="${valuePath(context)}#total" enctype="multipart/form-data" autocomplete="off" class="valued" aria-label="Result" data-csv="${csvHead}">
<textarea name="list" hidden autocomplete="off">
${list}</textarea>
<input type="hidden" name="game" value="${game ?? ''}">
<section class="panel" aria-labelledby="total">
${summary(valuePath(context), totals, read, currency)}
</section>
${
  ambiguous.length > 0 &&
  panel(
    {
      id: 'choose',
      title: 'Which card is it?',
      beside: html`<button type="submit" class="update">Update the total</button>`,
    },
    html`<p>These lines may be several cards, or differ from the one that was found. They count once you choose.</p>
${table({ caption: 'Ambiguous lines', columns: choiceColumns(currency), narrow: 'labelled', kind: 'choices', rows: toChoose })}`,
  )
}
${
  found.length > 0 &&
  panel(
    { id: 'cards', title: 'Cards' },
    table({
      caption: 'Cards of the list',
      columns: cardColumns(currency),
      narrow: 'line',
      kind: 'lines',
      rows: priced,
    }),
  )
}
${
  missing.length > 0 &&
  panel(
    { id: 'missing', title: 'Not found' },
    html`<p>No card is exactly this. Check the name, the set, the number and the printing, and value the list again.</p>
<ul class="missing">
${unknown}
</ul>`,
  )
}
</form>`
}

const choiceColumns = (currency: string | undefined): Columns => ({
  Line: 'heading',
  Quantity: 'figure',
  Card: 'text',
  [inCurrency('Unit price', currency)]: 'figure',
  [inCurrency('Amount', currency)]: 'figure',
})

const cardColumns = (currency: string | undefined): Columns => ({
  Quantity: 'figure',
  Card: 'heading',
  Set: 'text',
  Number: 'text',
  Printing: 'text',
  Condition: 'text',
  [inCurrency('Unit price', currency)]: 'figure',
  [inCurrency('Amount', currency)]: 'figure',
})

function summary(path: string, totals: Totals, { headings, columns }: ReadList, currency: string | undefined): Html {
  const counts: readonly (readonly [name: string, label: string, value: number])[] = [
    ['priced', 'Priced', totals.priced],
    ['unpriced', 'Price unknown', totals.unpriced],
    ['ambiguous', 'Ambiguous', totals.ambiguous],
    ['unmatched', 'Not found', totals.unmatched],
  ]
  const ignoredColumns = columns.filter(({ column, field }) => field === null && column !== '')
  const passedOver = [
    headings === 0 ? '' : `${number(headings)} ${headings === 1 ? 'heading' : 'headings'}`,
    ignoredColumns.length === 0
      ? ''
      : `the columns ${ignoredColumns
          .map(({ column }) => column.slice(0, 40))
          .slice(0, 30)
          .join(', ')}`,
  ].filter((text) => text !== '')
  return html`<div class="head"><h2 id="total" tabindex="-1">Total</h2><button type="submit" class="download" formaction="${path}.csv">Download CSV</button></div>
<p class="large" role="status" aria-labelledby="total" data-total>${price(totals.total)}${currency && html` <span class="currency">${currency}</span>`}</p>
<dl class="about counts">
${counts.map(([name, label, value]) => html`<div><dt>${label}</dt><dd data-count="${name}">${count(value)}</dd></div>`)}
</dl>
${passedOver.length === 0 ? '' : html`<p class="hint">Passed over: ${passedOver.join('; ')}.</p>`}`
}

const cents = (amount: number | null): string => (amount === null ? '' : String(Math.round(amount * 100)))

const conditionText = (condition: string | null): string =>
  condition === null ? 'market' : condition.replace('_', ' ')

function row(context: PageContext, line: ValuedLine): Html {
  const { card, quantity, condition, unitPrice, amount } = line
  const { id, name, set, number, printing } = card!
  const cells = cellsOf(cardColumns(undefined), [
    count(quantity),
    html`<a href="${cardPath(context, id)}" target="_blank">${name}</a>`,
    ...[set, number ?? 'unknown', printing ?? 'unknown', conditionText(condition), price(unitPrice)],
    html`<span data-cents="${cents(amount)}">${price(amount)}</span>`,
  ])
  return html`<tr data-csv="${csvRow(line)}">${cells}</tr>\n`
}

const missed = (line: ValuedLine) =>
  html`<li data-csv="${csvRow(line)}"><span class="hint">Line ${line.line}${line.match === 'unreadable' ? ', can’t be read' : ''}</span> <code>${line.text}</code></li>\n`

function choice(line: ValuedLine, listed: ListLine, currency: string | undefined): Html {
  const { card, quantity, unitPrice, amount, candidates, text } = line
  const id = `line-${line.line}`
  const option = (candidate: ExtendedCard) => {
    const price = priceOf(candidate, listed, quantity)
    const said = [
      candidate.name,
      candidate.set,
      candidate.number,
      candidate.printing,
      price.unitPrice === null ? 'unknown' : priceText(price.unitPrice),
    ]
    return html`<option value="${candidate.id}"${candidate.id === card?.id && html` selected`} data-unit="${cents(price.unitPrice)}" data-cents="${cents(price.amount)}" data-csv="${csvRow({ ...line, card: candidate, ...price })}">${said.filter((part) => part !== null).join(' · ')}</option>`
  }
  const cells = cellsOf(
    choiceColumns(currency),
    [
      html`<span id="${id}">${text}</span>`,
      count(quantity),
      html`<select name="card-${line.line}" aria-labelledby="${id}" autocomplete="off"><option value="">Choose a card</option>${candidates.map(option)}</select>`,
      html`<span data-unit>${card === null ? '–' : price(unitPrice)}</span>`,
      html`<span data-cents="${card === null ? '' : cents(amount)}">${card === null ? '–' : price(amount)}</span>`,
    ],
    true,
  )
  return html`<tr data-csv="${csvRow({ ...line, card: null, condition: null, unitPrice: null, amount: null })}">${cells}</tr>\n`
}
