/** The result of a list: the sum, the lines to decide, the priced lines, and those that were not found. */
import { html } from 'hono/html'
import type { ExtendedCard } from '../../../clients/typescript/src/types.ts'
import { priceOf, type Totals, type ValuedLine } from '../../../clients/typescript/src/valuation.ts'
import type { LargeParts } from '../large-parts.ts'
import type { PageContext } from '../site.ts'
import { csvHead, csvRow } from '../valued-csv.ts'
import type { ReadLines } from '../valued-list.ts'
import { count, inCurrency, number, price, priceText } from './figures.ts'
import type { Html } from './frame.ts'
import { cardPath } from './search-form.ts'
import { valuePath } from './value-form.ts'

interface Result {
  readonly totals: Totals
  readonly lines: readonly ValuedLine[]
  readonly read: ReadLines
  readonly list: Html | ''
  readonly game: string | undefined
  readonly currency: string | undefined
}

export async function resultSection(context: PageContext, result: Result, parts: LargeParts): Promise<Html> {
  const { totals, lines, read, list, game, currency } = result
  const ambiguous = lines.filter(({ match }) => match === 'ambiguous')
  const found = lines.filter(({ match, card }) => match !== 'ambiguous' && card !== null)
  const missing = lines.filter(({ match, card }) => match !== 'ambiguous' && card === null)
  const conditionOf = new Map(read.lines.map(({ line, condition }) => [line, condition]))
  const toChoose = await parts.rows(ambiguous, (line) => choice(line, conditionOf.get(line.line)))
  const priced = await parts.rows(found, (line) => row(context, line))
  const unknown = await parts.rows(missing, missed)
  return html`<form method="post" action="${valuePath(context)}#total" enctype="multipart/form-data" autocomplete="off" class="valued" aria-label="Result" data-csv="${csvHead}">
<textarea name="list" hidden autocomplete="off">
${list}</textarea>
<input type="hidden" name="game" value="${game ?? ''}">
<section class="panel" aria-labelledby="total">
${summary(valuePath(context), totals, read, currency)}
</section>
${
  ambiguous.length === 0
    ? ''
    : html`<section class="panel" aria-labelledby="choose">
<div class="head"><h2 id="choose">Which card is it?</h2><button type="submit" class="update">Update the total</button></div>
<p>These lines may be several cards, or differ from the one that was found. They count once you choose.</p>
<table class="data stacked choices">
<caption class="unseen">Ambiguous lines</caption>
<thead><tr><th scope="col">Line</th><th scope="col" class="figure">Quantity</th><th scope="col">Card</th><th scope="col" class="figure">${inCurrency('Unit price', currency)}</th><th scope="col" class="figure">${inCurrency('Amount', currency)}</th></tr></thead>
<tbody>
${toChoose}
</tbody>
</table>
</section>`
}
${
  found.length === 0
    ? ''
    : html`<section class="panel" aria-labelledby="cards">
<h2 id="cards">Cards</h2>
<table class="data stacked lines">
<caption class="unseen">Cards of the list</caption>
<thead><tr><th scope="col">Card</th><th scope="col" class="figure">Quantity</th><th scope="col">Set</th><th scope="col">Number</th><th scope="col">Printing</th><th scope="col">Condition</th><th scope="col" class="figure">${inCurrency('Unit price', currency)}</th><th scope="col" class="figure">${inCurrency('Amount', currency)}</th></tr></thead>
<tbody>
${priced}
</tbody>
</table>
</section>`
}
${
  missing.length === 0
    ? ''
    : html`<section class="panel" aria-labelledby="missing">
<h2 id="missing">Not found</h2>
<p>No card is exactly this. Check the name, the set, the number and the printing, and value the list again.</p>
<ul class="missing">
${unknown}
</ul>
</section>`
}
</form>`
}

function summary(
  path: string,
  totals: Totals,
  { headings, ignoredColumns }: ReadLines,
  currency: string | undefined,
): Html {
  const counts: readonly (readonly [name: string, label: string, value: number])[] = [
    ['priced', 'Priced', totals.priced],
    ['unpriced', 'Price unknown', totals.unpriced],
    ['ambiguous', 'Ambiguous', totals.ambiguous],
    ['unmatched', 'Not found', totals.unmatched],
  ]
  const passedOver = [
    headings === 0 ? '' : `${number(headings)} ${headings === 1 ? 'heading' : 'headings'}`,
    ignoredColumns.length === 0
      ? ''
      : `the columns ${ignoredColumns
          .map((name) => name.slice(0, 40))
          .slice(0, 30)
          .join(', ')}`,
  ].filter((text) => text !== '')
  return html`<div class="head"><h2 id="total" tabindex="-1">Total</h2><button type="submit" class="download" formaction="${path}.csv">Download CSV</button></div>
<p class="large" role="status" aria-labelledby="total" data-total>${price(totals.total)}${currency === undefined ? '' : html` <span class="currency">${currency}</span>`}</p>
<dl class="counts">
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
  return html`<tr data-csv="${csvRow(line)}">
<th scope="row"><a href="${cardPath(context, id)}" target="_blank">${name}</a></th>
<td class="figure" data-label="Quantity">${count(quantity)}</td>
<td data-label="Set">${set}</td><td data-label="Number">${number ?? 'unknown'}</td><td data-label="Printing">${printing ?? 'unknown'}</td>
<td data-label="Condition">${conditionText(condition)}</td>
<td class="figure" data-label="Unit price">${price(unitPrice)}</td><td class="figure" data-label="Amount" data-cents="${cents(amount)}">${price(amount)}</td>
</tr>`
}

const missed = (line: ValuedLine) =>
  html`<li data-csv="${csvRow(line)}"><span class="hint">Line ${line.line}${line.match === 'unreadable' ? ', can’t be read' : ''}</span> <code>${line.text}</code></li>`

function choice(line: ValuedLine, condition: Parameters<typeof priceOf>[2]): Html {
  const { card, quantity, unitPrice, amount, candidates, text } = line
  const id = `line-${line.line}`
  const option = (candidate: ExtendedCard) => {
    const price = priceOf(candidate, quantity, condition)
    const said = [
      candidate.name,
      candidate.set,
      candidate.number,
      candidate.printing,
      price.unitPrice === null ? 'unknown' : priceText(price.unitPrice),
    ]
    return html`<option value="${candidate.id}"${candidate.id === card?.id ? html` selected` : ''} data-unit="${cents(price.unitPrice)}" data-cents="${cents(price.amount)}" data-csv="${csvRow({ ...line, card: candidate, ...price })}">${said.filter((part) => part !== null).join(' · ')}</option>`
  }
  return html`<tr data-csv="${csvRow({ ...line, card: null, condition: null, unitPrice: null, amount: null })}">
<th scope="row" id="${id}">${text}</th>
<td class="figure" data-label="Quantity">${count(quantity)}</td>
<td><select name="card-${line.line}" aria-labelledby="${id}" autocomplete="off"><option value="">Choose a card</option>${candidates.map(option)}</select></td>
<td class="figure" data-label="Unit price" data-unit>${card === null ? '–' : price(unitPrice)}</td><td class="figure" data-label="Amount" data-cents="${card === null ? '' : cents(amount)}">${card === null ? '–' : price(amount)}</td>
</tr>`
}
