/**
 * Parts of several pages: panels, tables, charts, buttons that copy. Their style is in style/parts.css and
 * style/tables.css.
 */
import { html } from 'hono/html'
import type { Html } from '../site.ts'

interface Panel {
  /** The id of its heading. */
  readonly id: string
  readonly title: string
  readonly kind?: string
  /** Shown at the end of the heading's line. */
  readonly beside?: Html | ''
  /** True if the page has no heading before the panel's heading. */
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

/** Links to the previous and the next page of a list, if these exist. @param label the name of the list */
export function pageLinks(
  label: string,
  { previous, next }: Readonly<Record<'previous' | 'next', string | false | undefined>>,
): Html | '' {
  if (!previous && !next) return ''
  return html`<nav class="choice" aria-label="${label}">
${previous && html`<a class="button" href="${previous}">Previous</a>`}
${next && html`<a class="button" href="${next}">Next</a>`}
</nav>`
}

/**
 * The kind of each column, by its name. A cell of kind `heading` names its row. A column without a name has buttons. A
 * `picture` is a thumbnail.
 */
export type Columns = Readonly<Record<string, 'heading' | 'text' | 'figure' | 'picture'>>
type Cells = readonly unknown[]

/** By a column's name: where the link in its heading leads, and how the table is currently sorted by it. */
export type Sorts = Readonly<
  Record<string, { readonly to: string; readonly state: 'ascending' | 'descending' | undefined }>
>

interface Table {
  readonly caption: string
  readonly columns: Columns
  /** The columns whose headings sort the table. */
  readonly sorts?: Sorts
  /** Rows that have attributes are given as rendered HTML. */
  readonly rows: readonly Cells[] | Html | readonly Html[]
  readonly id?: string
  /**
   * The layout of a table that does not fit. With `labelled` and `block`, each cell of a row becomes a line; `labelled`
   * adds the name of the cell's column. With `line`, a row becomes two lines on a phone. The first line has the first
   * cell that is no picture or quantity, and the last cell. The second line has all other cells.
   */
  readonly narrow?: 'labelled' | 'block' | 'line'
  /** With `rows`, each row as a whole is a link, to where the link in its heading leads. */
  readonly kind?: string
  /** True if the caption is hidden, because a heading says the same. */
  readonly isCaptionUnseen?: boolean
}

export function table({ caption, columns, sorts = {}, rows, id, narrow, kind, isCaptionUnseen = false }: Table): Html {
  const heads = Object.entries(columns).map(([name, of]) =>
    name === '' || of === 'picture'
      ? html`<td></td>`
      : html`<th scope="col"${of === 'figure' && html` class="figure"`}${sorts[name]?.state && html` aria-sort="${sorts[name].state}"`}>${sorts[name] ? html`<a href="${sorts[name].to}">${name}</a>` : name}</th>`,
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

/**
 * Returns the links by which a table's columns sort it. A second press on a column reverses the order.
 * @param names the name of each column's order, by the column's heading
 * @param sort the order of the page
 */
export function sortsOf(
  names: Readonly<Record<string, string>>,
  sort: string,
  address: (sort: string) => string,
): Sorts {
  return Object.fromEntries(
    Object.entries(names).map(([heading, name]) => {
      const state = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : undefined
      return [heading, { to: address(state === 'ascending' ? `-${name}` : name), state }]
    }),
  )
}

/**
 * The cells of a row.
 * @param isLabelled true if the cells have the names of their columns, for a table that may become a list
 */
export const cellsOf = (columns: Columns, cells: Cells, isLabelled = false): Html[] =>
  Object.entries(columns).map(([name, of], i) => {
    if (of === 'heading') return html`<th scope="row">${cells[i]}</th>`
    if (of === 'picture') return html`<td class="thumb">${cells[i]}</td>`
    const label = isLabelled && name !== '' && html` data-label="${name}"`
    return html`<td${of === 'figure' && html` class="figure"`}${name === '' && html` class="actions"`}${label}>${cells[i]}</td>`
  })

/** A list of named facts, without those that are absent. */
export const listOf = (facts: Readonly<Record<string, unknown>>): Html => html`<dl class="about">
${Object.entries(facts).map(([name, fact]) => fact != null && html`<div><dt>${name}</dt><dd>${fact}</dd></div>\n`)}
</dl>`

interface Drawn {
  /** A kind of charts.browser.ts. */
  readonly kind: 'bars' | 'band' | 'line'
  /** The id of the table from which the chart is drawn. */
  readonly table: string
  readonly name: string
  readonly legend?: Html
}

/**
 * The place of a chart, and a legend of its colours. The style sheet sets the height before the chart is drawn. Under
 * the legend, the script writes the figures of the day under the pointer, or else of the last day. A table on the same
 * page has all figures (`figures`).
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

/** The figures of a chart, folded. */
export const foldedFigures = (name: string, shown: Html): Html => html`<details>
<summary>${name} as a table</summary>
${figures(name, shown)}
</details>`

/** @param periods the periods, each with a link to its page */
export const periodLinks = (
  periods: readonly { readonly to: string; readonly label: string; readonly isChosen: boolean }[],
) => html`<nav aria-label="Period" class="periods">
${periods.map(
  ({ to, label, isChosen }) => html`<a href="${to}"${isChosen ? html` aria-current="true"` : ''}>${label}</a> `,
)}
</nav>`

/**
 * A button that copies. A script shows it, since without scripts it would do nothing.
 * @param id the id of the element whose text is copied
 */
export const copyButton = (id: string, label: Html | string, isPrimary = false): Html =>
  html`<button type="button"${isPrimary ? html` class="primary"` : ''} data-copy="${id}" hidden>${label}</button>
<span class="copied" id="${id}-copied" aria-live="polite"></span>`

/** A notice of a page: what was done, or, if it is `bad`, what is wrong. */
export const notice = (text: Html | string, isBad = false): Html =>
  html`<div class="notice${isBad ? ' bad' : ''}" role="${isBad ? 'alert' : 'status'}">${text}</div>`
