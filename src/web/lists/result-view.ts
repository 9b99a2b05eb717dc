/** The result of a list: its columns, the sum, the lines to decide, the priced lines, and those that were not found. */
import { html } from 'hono/html'
import { listCandidatesShownMax } from '../../limits.ts'
import type { ReadList } from '../../lists/read-list.ts'
import type { Totals } from '../../lists/totals.ts'
import { changeText, count, number, price } from '../shared/page-figures.ts'
import { panel, table } from '../shared/page-parts.ts'
import { filled, laterPart, type Part } from '../shared/streamed-page.ts'
import type { Turns } from '../shared/turns.ts'
import type { Html, PageContext, Site } from '../site.ts'
import { columnsSection } from './columns-view.ts'
import { csvPath } from './form-view.ts'
import { type Choices, choicesText, type SentList } from './list-form.ts'
import {
  cardColumns,
  cardRow,
  changeOf,
  choiceColumns,
  choiceRow,
  excludedItem,
  missedItem,
  type Shape,
} from './rows-view.ts'
import { csvHead, type ShownLine } from './shown-lines.ts'

/**
 * The hosts of thumbnails. The page allows all hosts of about.json, because its head is sent before its cards are
 * known.
 */
export const picturesFrom = ({ data }: Site): readonly string[] => data.about.images ?? []

/** Collects lines as they are valued. It stores their rows as bytes, outside the thread's heap. */
export class ListResult {
  readonly #site: Site
  readonly #context: PageContext
  readonly #shape: Shape
  #candidatesShown = 0
  readonly #rows = { cards: [] as Part[], choices: [] as Part[], missed: [] as Part[], excluded: [] as Part[] }

  /**
   * The currency of our own CSV if its amounts can't be compared with the new ones; empty if the CSV names no currency.
   */
  readonly #otherCurrency: string | undefined
  /**
   * The number of lines with both an earlier and a new amount, and the sums of both in cents. `leftOut` counts the
   * lines with only one of the two.
   */
  readonly #since = { lines: 0, was: 0, now: 0, leftOut: 0 }

  constructor(site: Site, context: PageContext, { lines }: ReadList) {
    this.#site = site
    this.#context = context
    const { currency } = site.data.about
    const hasThen = lines.some(({ former }) => former?.currency === (currency ?? ''))
    if (!hasThen) this.#otherCurrency = lines.find(({ former }) => former !== undefined)?.former?.currency
    this.#shape = { hasPictures: picturesFrom(site).length > 0, hasThen }
  }

  async add(lines: readonly ShownLine[], turns: Turns): Promise<void> {
    const texts = { cards: '', choices: '', missed: '', excluded: '' }
    const context = this.#context
    const shape = this.#shape
    for (const line of lines) {
      const { match, card } = line.valued
      if (shape.hasThen) this.#compare(line)
      if (match === 'excluded') texts.excluded += excludedItem(line)
      else if (match === 'ambiguous') texts.choices += this.#choice(line)
      else if (card === null) texts.missed += missedItem(context, line)
      else texts.cards += cardRow(this.#site, context, line, shape)
      await turns.pause()
    }
    for (const kind of Object.keys(texts) as (keyof typeof texts)[]) {
      if (texts[kind] !== '') this.#rows[kind].push(Buffer.from(texts[kind]))
    }
  }

  #choice(line: ShownLine): Html {
    this.#candidatesShown += line.valued.candidates.length
    return choiceRow(this.#context, line, {
      ...this.#shape,
      hasFew: this.#candidatesShown > listCandidatesShownMax,
    })
  }

  #compare({ thenCents, valued: { amount } }: ShownLine): void {
    const since = this.#since
    if (thenCents !== undefined && amount !== null) {
      since.lines++
      since.was += thenCents
      since.now += Math.round(amount * 100)
    } else if (thenCents !== undefined || amount !== null) since.leftOut++
  }

  /** @param overTime the panels below the total */
  parts(read: ReadList, totals: Totals, sent: SentList, overTime: Html | ''): AsyncGenerator<Part> {
    const { cards, choices, missed, excluded } = this.#rows
    const { columns } = read
    const currency = this.#site.data.about.currency ?? totals.currency ?? undefined
    const columnsPanel = columnsSection(columns, sent.columns !== undefined)
    const isSure = columns.every(({ sure }) => sure)
    const sections = html`<div class="valued" data-csv="${csvHead}" data-currency="${currency ?? ''}"${this.#shape.hasThen && html` data-then=""`}>
${!isSure && columnsPanel}
<section class="panel" aria-labelledby="total">
${summary(this.#context, totals, read, currency)}
${this.#shape.hasThen ? sinceText(this.#since) : this.#otherCurrency !== undefined && notComparedText(this.#otherCurrency, this.#site.data.about.currency)}
${isSure && columnsPanel}
</section>
${overTime}
${this.#choices(sent.choices, currency)}
${cards.length > 0 && this.#cards(currency)}
${missed.length > 0 && missedPanel}
${excluded.length > 0 && excludedPanel}
</div>`
    const parts = [choices, cards, missed, excluded].filter((rows) => rows.length > 0)
    return filled(String(sections), parts)
  }

  #choices({ pick, byLine }: Choices, currency: string | undefined): Html | '' {
    if (this.#rows.choices.length === 0) return ''
    // The value of this button is the choices that were made before the pick.
    const undo = html`<button type="submit" class="undo" name="undo" value="${pick && choicesText(byLine)}"${pick === undefined && html` hidden`}>Undo</button>`
    return panel(
      { id: 'choose', title: 'Which card is it?' },
      html`<p>These lines may be several cards, or differ from the one that was found. They count once you choose.</p>
<p class="choice"><button type="submit" name="pick" value="cheapest">Cheapest of each</button> <button type="submit" name="pick" value="newest">Newest of each</button> ${undo} <button type="submit" class="update">Update the total</button></p>
${table({ caption: 'Ambiguous lines', isCaptionUnseen: true, columns: choiceColumns(currency, this.#shape), narrow: 'labelled', kind: 'choices', rows: laterPart })}`,
    )
  }

  #cards(currency: string | undefined): Html {
    return panel(
      { id: 'cards', title: 'Cards' },
      table({
        caption: 'Cards of the list',
        isCaptionUnseen: true,
        columns: cardColumns(currency, this.#shape),
        narrow: 'line',
        kind: 'lines',
        rows: laterPart,
      }),
    )
  }
}

/**
 * Says how the sum of the lines has changed. value-then.browser.ts writes the same for a list that the browser keeps.
 */
function sinceText({ lines, was, now, leftOut }: Readonly<Record<'lines' | 'was' | 'now' | 'leftOut', number>>) {
  const change = changeText(changeOf(was, now / 100))
  return html`<p class="since">${count(lines)} ${lines === 1 ? 'line has' : 'lines have'} a price then and now: ${price(was / 100)} then, ${price(now / 100)} now, ${change}.${
    leftOut > 0 &&
    html` <span class="hint">${count(leftOut)} ${leftOut === 1 ? 'other has' : 'others have'} only one of both.</span>`
  }</p>`
}

/** Says that the amounts are not compared. value-then.browser.ts writes the same for a list that the browser keeps. */
function notComparedText(then: string, now: string | undefined): Html {
  const inWords = (currency: string | undefined) => (currency ? `in ${currency}` : 'without a currency')
  return html`<p class="hint">Then and now are not compared: the amounts of then are ${inWords(then)}, and those of now ${inWords(now)}.</p>`
}

const missedPanel = panel(
  { id: 'missing', title: 'Not found' },
  html`<p>No card is exactly this. Check the name, the set, the number and the printing, and value the list again. Each line leads to a look-up of its name.</p>
<ul class="missing">
${laterPart}
</ul>`,
)

const excludedPanel = panel(
  { id: 'excluded', title: 'Excluded' },
  html`<p>These lines are proxies or wants. They count nothing.</p>
<ul class="missing">
${laterPart}
</ul>`,
)

function summary(context: PageContext, totals: Totals, { headings }: ReadList, currency: string | undefined): Html {
  const { total, atMarket } = totals
  const counts: readonly (readonly [name: string, label: string, value: number])[] = [
    ['priced', 'Priced', totals.priced],
    ['unpriced', 'Price unknown', totals.unpriced],
    ['ambiguous', 'Ambiguous', totals.ambiguous],
    ['unmatched', 'Not found', totals.unmatched],
    ['excluded', 'Excluded', totals.excluded],
    ['atMarket', 'At market', atMarket],
  ]
  const amount =
    total === null
      ? html`<p class="state bad" role="status" aria-labelledby="total">No total yet: <a href="#columns">which column is what?</a></p>`
      : html`<p class="large" role="status" aria-labelledby="total" data-total>${price(total)}${currency && html` <span class="currency">${currency}</span>`}</p>`
  return html`<div class="head"><h2 id="total" tabindex="-1">Total</h2><button type="submit" class="download" formaction="${csvPath(context)}">Download CSV</button></div>
<p class="note" data-at-market-note${atMarket === 0 && html` hidden`}>${count(atMarket)} ${atMarket === 1 ? 'line names' : 'lines name'} a condition without a price of its own: ${atMarket === 1 ? 'it counts' : 'they count'} at the market price.</p>
${amount}
<dl class="about counts">
${counts.map(([name, label, value]) => html`<div><dt>${label}</dt><dd data-count="${name}">${count(value)}</dd></div>`)}
</dl>
${headings > 0 && html`<p class="hint">Passed over: ${number(headings)} ${headings === 1 ? 'heading' : 'headings'}.</p>`}`
}
