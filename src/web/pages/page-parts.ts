/** Parts that several pages have: panels, tables, charts, a card's picture, buttons that copy. */
import { html } from 'hono/html'
import type { Card } from '../card-data.ts'
import type { Html, Site } from '../site.ts'

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

/** Kinds of columns by name. The `heading` of a row names it; a column without a name has buttons. */
export type Columns = Readonly<Record<string, 'heading' | 'text' | 'figure'>>
type Cells = readonly unknown[]

interface Table {
  readonly caption: string
  readonly columns: Columns
  /** Rows with attributes are rendered already. */
  readonly rows: readonly Cells[] | Html | readonly Html[]
  readonly id?: string
  /** If the table does not fit, a row is a list of its cells, with the names of their columns or without, or lines. */
  readonly narrow?: 'labelled' | 'block' | 'line'
  readonly kind?: string
}

export function table({ caption, columns, rows, id, narrow, kind }: Table): Html {
  const heads = Object.entries(columns).map(([name, of]) =>
    name === '' ? html`<td></td>` : html`<th scope="col"${of === 'figure' && html` class="figure"`}>${name}</th>`,
  )
  const rendered = Array.isArray(rows)
    ? rows.map((row: Cells | Html) =>
        Array.isArray(row) ? html`<tr>${cellsOf(columns, row, narrow === 'labelled')}</tr>\n` : row,
      )
    : rows
  return html`<table class="${classes('data', narrow && `stacked ${narrow}`, kind)}"${id && html` id="${id}"`}>
<caption>${caption}</caption>
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
  readonly legend: Html
  readonly isFolded?: boolean
}

/**
 * The place of a chart, what its colours mean, and the figures beside it, or folded under it. The style sets its height before it is drawn. The script writes the day that is pointed at, or the last one, behind the legend.
 */
export const drawn = (
  { kind, table, name, legend, isFolded = false }: Drawn,
  figures: Html,
) => html`<div class="drawn${isFolded ? ' above' : ''}">
<div class="drawing">
<p class="legend">${legend}<span class="pointed" id="${table}-pointed" aria-live="polite"></span></p>
<div class="chart" data-chart="${kind}" data-table="${table}" role="img" aria-label="${name}" tabindex="0" aria-describedby="${table}-keys"></div>
<span class="unseen" id="${table}-keys">The arrow keys move from day to day.</span>
</div>
${isFolded ? folded(name, figures) : scrolled(name, figures)}
</div>`

/** @param periods links to the page of each */
export const periodLinks = (
  periods: readonly { readonly to: string; readonly label: string; readonly isChosen: boolean }[],
) => html`<nav aria-label="Period" class="periods">
${periods.map(
  ({ to, label, isChosen }) => html`<a href="${to}"${isChosen ? html` aria-current="true"` : ''}>${label}</a> `,
)}
</nav>`

const scrolled = (name: string, figures: Html) =>
  html`<div class="figures" tabindex="0" role="region" aria-label="${name} as a table">
${figures}
</div>`

const folded = (name: string, figures: Html) => html`<details class="folded">
<summary>${name} as a table</summary>
${scrolled(name, figures)}
</details>`

/** A script shows it: without one it would do nothing. @param id of the element whose text it copies */
export const copyButton = (id: string, label: Html | string, isPrimary = false): Html =>
  html`<button type="button"${isPrimary ? html` class="primary"` : ''} data-copy="${id}" hidden>${label}</button>
<span class="copied" id="${id}-copied" aria-live="polite"></span>`

/**
 * A card's picture is shown if its host is ours or is named in about.json; otherwise it is a link. These are the origins that the policy
 * must allow for it, beside ours; undefined if it is not shown.
 */
export function pictureOrigins({ data, url }: Site, { image }: Card): readonly string[] | undefined {
  if (image === null) return undefined
  const { origin } = new URL(image)
  if (origin === url) return []
  return data.about.images?.includes(origin) ? [origin] : undefined
}

/** It has the size of a card before it loads, so nothing moves. */
export const picture = ({ name, image }: Card) =>
  html`<img class="picture" src="${image}" alt="${name}" width="245" height="342" referrerpolicy="no-referrer">`
