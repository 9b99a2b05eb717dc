/** Parts that several pages have: panels, tables, charts, buttons that copy. Their style is in style/parts.css and style/tables.css. */
import { html } from 'hono/html'
import type { Html } from '../site.ts'

interface Panel {
  /** The id of its heading. */
  readonly id: string
  readonly title: string
  readonly kind?: string
  /** Shown at the end of the heading's line. */
  readonly beside?: Html | ''
  /** The page has no heading before it. */
  readonly isFirst?: boolean
}

const classes = (...names: readonly (string | undefined)[]): string => names.filter(Boolean).join(' ')

export function panel({ id, title, kind, beside = '', isFirst = false }: Panel, content: unknown): Html {
  const heading = isFirst ? html`<h1 id="${id}">${title}</h1>` : html`<h2 id="${id}">${title}</h2>`
  return html`<section class="${classes('panel', kind)}" aria-labelledby="${id}">
${beside === '' ? heading : html`<div class="head">${heading}${beside}</div>`}
${content}
</section>`
}

/** Kinds of columns by name. The `heading` of a row names it; a column without a name has buttons; a `picture` is a thumbnail. */
export type Columns = Readonly<Record<string, 'heading' | 'text' | 'figure' | 'picture'>>
type Cells = readonly unknown[]

interface Table {
  readonly caption: string
  readonly columns: Columns
  /** Rows with attributes are rendered already. */
  readonly rows: readonly Cells[] | Html | readonly Html[]
  readonly id?: string
  /**
   * If the table does not fit, each cell of a row is a line, with the name of its column (`labelled`) or without (`block`). On a phone, a
   * row of `line` is two lines: its first cell that is no picture or quantity, with its last one, and the others under them.
   */
  readonly narrow?: 'labelled' | 'block' | 'line'
  /** `rows`: a row is a link, by the one of its heading. */
  readonly kind?: string
  /** The caption is not shown: a heading says the same. */
  readonly isCaptionUnseen?: boolean
}

export function table({ caption, columns, rows, id, narrow, kind, isCaptionUnseen = false }: Table): Html {
  const heads = Object.entries(columns).map(([name, of]) =>
    name === '' || of === 'picture'
      ? html`<td></td>`
      : html`<th scope="col"${of === 'figure' && html` class="figure"`}>${name}</th>`,
  )
  const rendered = Array.isArray(rows)
    ? rows.map((row: Cells | Html) =>
        Array.isArray(row) ? html`<tr>${cellsOf(columns, row, narrow === 'labelled')}</tr>\n` : row,
      )
    : rows
  const stacked = narrow !== undefined && narrow !== 'line' ? 'stacked' : undefined
  return html`<table class="${classes('data', stacked, narrow, kind)}"${id && html` id="${id}"`}>
<caption${isCaptionUnseen && html` class="unseen"`}>${caption}</caption>
<thead><tr>${heads}</tr></thead>
<tbody>
${rendered}
</tbody>
</table>`
}

/** The cells of a row. @param isLabelled they have the names of their columns, for a table that becomes a list of them */
export const cellsOf = (columns: Columns, cells: Cells, isLabelled = false): Html[] =>
  Object.entries(columns).map(([name, of], i) => {
    if (of === 'heading') return html`<th scope="row">${cells[i]}</th>`
    if (of === 'picture') return html`<td class="thumb">${cells[i]}</td>`
    const label = isLabelled && name !== '' && html` data-label="${name}"`
    return html`<td${of === 'figure' && html` class="figure"`}${name === '' && html` class="actions"`}${label}>${cells[i]}</td>`
  })

/** A list of facts by their names, without those that are absent. */
export const listOf = (facts: Readonly<Record<string, unknown>>): Html => html`<dl class="about">
${Object.entries(facts).map(([name, fact]) => fact != null && html`<div><dt>${name}</dt><dd>${fact}</dd></div>\n`)}
</dl>`

interface Drawn {
  /** A kind of client/charts.ts. */
  readonly kind: 'bars' | 'band'
  /** The id of the table that it is drawn from. */
  readonly table: string
  readonly name: string
  readonly legend?: Html
}

/**
 * The place of a chart, and what its colours mean. The style sets its height before it is drawn. The script writes the day that is pointed
 * at, or the last one, under the legend. Its figures are a table on the same page (`figures`).
 */
export const chart = ({ kind, table, name, legend }: Drawn): Html => html`<div class="drawing">
${legend && html`<p class="legend">${legend}</p>`}
<p class="pointed" id="${table}-pointed" aria-live="polite"></p>
<div class="chart" data-chart="${kind}" data-table="${table}" role="img" aria-label="${name}" tabindex="0" aria-describedby="${table}-keys"></div>
<span class="unseen" id="${table}-keys">The arrow keys move from day to day.</span>
</div>`

/** The figures of a chart, in a place that scrolls. */
export const figures = (name: string, shown: Html): Html =>
  html`<div class="figures" tabindex="0" role="region" aria-label="${name} as a table">
${shown}
</div>`

/** The same, folded. */
export const foldedFigures = (name: string, shown: Html): Html => html`<details>
<summary>${name} as a table</summary>
${figures(name, shown)}
</details>`

/** @param periods links to the page of each */
export const periodLinks = (
  periods: readonly { readonly to: string; readonly label: string; readonly isChosen: boolean }[],
) => html`<nav aria-label="Period" class="periods">
${periods.map(
  ({ to, label, isChosen }) => html`<a href="${to}"${isChosen ? html` aria-current="true"` : ''}>${label}</a> `,
)}
</nav>`

/** A script shows it: without one it would do nothing. @param id of the element whose text it copies */
export const copyButton = (id: string, label: Html | string, isPrimary = false): Html =>
  html`<button type="button"${isPrimary ? html` class="primary"` : ''} data-copy="${id}" hidden>${label}</button>
<span class="copied" id="${id}-copied" aria-live="polite"></span>`

/** A notice of a page: what was done, or, if it is `bad`, what is wrong. */
export const notice = (text: Html | string, isBad = false): Html =>
  html`<div class="notice${isBad ? ' bad' : ''}" role="${isBad ? 'alert' : 'status'}">${text}</div>`
