/** The place of a chart, what its colours mean, and the place of the figures beside it. */
import { html } from 'hono/html'
import type { Html } from './frame.ts'

interface Drawn {
  /** As client/charts.ts knows it. */
  readonly kind: 'bars' | 'band'
  /** The id of the table that it is drawn from. */
  readonly table: string
  readonly name: string
  readonly legend: Html
}

/** Its height is the style's before it is drawn. The script writes the day that is pointed at, or the last one, behind the legend. */
export const drawn = ({ kind, table, name, legend }: Drawn, figures: Html) => html`<div class="drawn">
<div class="drawing">
<p class="legend">${legend}<span class="pointed" id="${table}-pointed" aria-hidden="true"></span></p>
<div class="chart" data-chart="${kind}" data-table="${table}" role="img" aria-label="${name}"></div>
</div>
<div class="figures" tabindex="0" role="region" aria-label="${name} as a table">
${figures}
</div>
</div>`
