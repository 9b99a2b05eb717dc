/** The place of a chart, what its colours mean, the periods to choose from, and the figures beside it, or folded under it. */
import { html } from 'hono/html'
import type { Html } from '../site.ts'

interface Drawn {
  /** As client/charts.ts knows it. */
  readonly kind: 'bars' | 'band'
  /** The id of the table that it is drawn from. */
  readonly table: string
  readonly name: string
  readonly legend: Html
  readonly isFolded?: boolean
}

/** The style sets its height before it is drawn. The script writes the day that is pointed at, or the last one, behind the legend. */
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
