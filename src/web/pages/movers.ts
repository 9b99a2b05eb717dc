/** The section "Movers of the week", for a game of choice. */
import { html } from 'hono/html'
import { gameNumber, games } from '../../games.ts'
import { moverCentsDefault, moversShown } from '../../limits.ts'
import { historyPlan, plans } from '../../plans.ts'
import { type Mover, moversOfWeek } from '../cards.ts'
import type { PageContext, Site } from '../site.ts'
import { changeText } from './changes.ts'
import { inCurrency, price } from './figures.ts'
import type { Html } from './frame.ts'
import { cardPath } from './search-form.ts'

export async function moversSection(site: Site, context: PageContext): Promise<Html> {
  return html`<section class="panel" aria-labelledby="movers">
<h2 id="movers">Movers of the week</h2>
${await movers(site, context)}
</section>`
}

async function movers(site: Site, context: PageContext): Promise<Html> {
  const { account } = context.var.session
  if (plans[account.plan].rank < plans[historyPlan].rank) {
    return html`<p class="note">Movers come with the ${plans[historyPlan].name} plan and above.</p>`
  }
  const data = await site.data.open()
  if (data === undefined) return html`<p>No cards have been published yet.</p>`
  // Anything that is no game's slug is all games.
  const { game = '' } = context.req.query()
  const number = gameNumber(game)
  const { currency } = site.data.about
  return html`<form method="get" action="/dashboard/look-up#movers" class="search">
<label for="movers-game">Game</label>
<div class="choice">
<select id="movers-game" name="game">
<option value="">All games</option>
${games.map(({ id, name }) => html`<option value="${id}"${id === game ? html` selected` : ''}>${name}</option>`)}
</select>
<button type="submit">Show</button>
</div>
</form>
<p class="hint">Cards at ${(moverCentsDefault / 100).toFixed(2)} or more, over the last 7 days.</p>
<div class="tables">
${table('Biggest rises', moversOfWeek(data, number, 'up', moversShown), context, currency)}
${table('Biggest falls', moversOfWeek(data, number, 'down', moversShown), context, currency)}
</div>`
}

function table(caption: string, cards: readonly Mover[], context: PageContext, currency: string | undefined): Html {
  if (cards.length === 0) return html`<p class="note">${caption}: none.</p>`
  return html`<table class="data">
<caption>${caption}</caption>
<thead><tr><th scope="col">Card</th><th scope="col" class="figure">${inCurrency('Price', currency)}</th><th scope="col" class="figure">Change</th></tr></thead>
<tbody>
${cards.map(
  ({
    id,
    name,
    set,
    change,
  }) => html`<tr><th scope="row"><a href="${cardPath(context, id)}">${name}</a> <span class="hint">${set}</span></th>
<td class="figure">${price(change.to)}</td><td class="figure">${changeText(change)}</td></tr>
`,
)}
</tbody>
</table>`
}
