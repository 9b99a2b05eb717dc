/** The result of a list: its columns, the sum, the lines to decide, the priced lines, and those that were not found. */
import { html } from 'hono/html'
import type { ReadList } from '../../../clients/typescript/src/list.ts'
import type { Totals } from '../../../clients/typescript/src/valuation.ts'
import { listCandidatesShownMax } from '../../limits.ts'
import { choicesText } from '../sent-list.ts'
import type { Html, PageContext, Site } from '../site.ts'
import { filled, laterPart, type Part } from '../streamed-page.ts'
import type { Turns } from '../turns.ts'
import { type Choices, csvHead, RunningTotals, type ShownLine } from '../valued-list.ts'
import { count, number, price } from './page-figures.ts'
import { panel, table } from './page-parts.ts'
import { columnsSection } from './value-columns.ts'
import { csvPath } from './value-form.ts'
import { cardColumns, cardRow, choiceColumns, choiceRow, excludedItem, missedItem } from './value-rows.ts'

interface About extends Choices {
  /** True if a person chose the columns in the form. */
  readonly hasChosenColumns: boolean
}

/**
 * The hosts of thumbnails. The page allows all hosts of about.json, because its head is sent before its cards are
 * known.
 */
export const picturesFrom = ({ data }: Site): readonly string[] => data.about.images ?? []

/** Collects lines as they are valued. It keeps their rows as bytes, outside the thread's heap. */
export class ListResult {
  readonly #site: Site
  readonly #context: PageContext
  readonly #hasPictures: boolean
  readonly #read: ReadList
  readonly #about: About
  readonly #totals: RunningTotals
  #candidatesShown = 0
  readonly #rows = { cards: [] as Part[], choices: [] as Part[], missed: [] as Part[], excluded: [] as Part[] }

  constructor(site: Site, context: PageContext, read: ReadList, about: About) {
    this.#site = site
    this.#context = context
    this.#hasPictures = picturesFrom(site).length > 0
    this.#read = read
    this.#about = about
    this.#totals = new RunningTotals(read)
  }

  async add(lines: readonly ShownLine[], turns: Turns): Promise<void> {
    this.#totals.add(lines)
    const texts = { cards: '', choices: '', missed: '', excluded: '' }
    const context = this.#context
    for (const line of lines) {
      const { match, card } = line.valued
      if (match === 'excluded') texts.excluded += excludedItem(line)
      else if (match === 'ambiguous') texts.choices += this.#choice(line)
      else if (card === null) texts.missed += missedItem(context, line)
      else texts.cards += cardRow(this.#site, context, line, this.#hasPictures)
      await turns.pause()
    }
    for (const kind of Object.keys(texts) as (keyof typeof texts)[]) {
      if (texts[kind] !== '') this.#rows[kind].push(Buffer.from(texts[kind]))
    }
  }

  get #currency(): string | undefined {
    return this.#site.data.about.currency ?? this.#totals.totals.currency ?? undefined
  }

  #choice(line: ShownLine): Html {
    this.#candidatesShown += line.valued.candidates.length
    return choiceRow(this.#context, line, this.#candidatesShown > listCandidatesShownMax)
  }

  parts(): AsyncGenerator<Part> {
    const { cards, choices, missed, excluded } = this.#rows
    const { columns } = this.#read
    const columnsPanel = columnsSection(columns, this.#about.hasChosenColumns)
    const isSure = columns.every(({ sure }) => sure)
    const sections = html`<div class="valued" data-csv="${csvHead}">
${!isSure && columnsPanel}
<section class="panel" aria-labelledby="total">
${summary(this.#context, this.#totals.totals, this.#read, this.#currency)}
${isSure && columnsPanel}
</section>
${this.#choices()}
${cards.length > 0 && this.#cards()}
${missed.length > 0 && missedPanel}
${excluded.length > 0 && excludedPanel}
</div>`
    const parts = [choices, cards, missed, excluded].filter((rows) => rows.length > 0)
    return filled(String(sections), parts)
  }

  #choices(): Html | '' {
    const { pick, byLine } = this.#about
    if (this.#rows.choices.length === 0) return ''
    // The value of this button is the choices from before the pick.
    const undo = html`<button type="submit" class="undo" name="undo" value="${pick && choicesText(byLine)}"${pick === undefined && html` hidden`}>Undo</button>`
    return panel(
      { id: 'choose', title: 'Which card is it?' },
      html`<p>These lines may be several cards, or differ from the one that was found. They count once you choose.</p>
<p class="choice"><button type="submit" name="pick" value="cheapest">Cheapest of each</button> <button type="submit" name="pick" value="newest">Newest of each</button> ${undo} <button type="submit" class="update">Update the total</button></p>
${table({ caption: 'Ambiguous lines', isCaptionUnseen: true, columns: choiceColumns(this.#currency), narrow: 'labelled', kind: 'choices', rows: laterPart })}`,
    )
  }

  #cards(): Html {
    return panel(
      { id: 'cards', title: 'Cards' },
      table({
        caption: 'Cards of the list',
        isCaptionUnseen: true,
        columns: cardColumns(this.#currency, this.#hasPictures),
        narrow: 'line',
        kind: 'lines',
        rows: laterPart,
      }),
    )
  }
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
