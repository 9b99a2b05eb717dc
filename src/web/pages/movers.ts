/** The section "Movers of the week", for a game of choice. */
import { html } from 'hono/html'
import { gameNumber, games } from '../../games.ts'
import { moverCentsDefault, moversShown } from '../../limits.ts'
import { historyPlan, plans } from '../../plans.ts'
import { type Mover, moversOfWeek } from '../card-data.ts'
import type { Html, PageContext, Site } from '../site.ts'
import { changeText, inCurrency, price } from './page-figures.ts'
import { panel, table } from './page-parts.ts'
import { cardPath } from './search-form.ts'

export async function moversSection(site: Site, context: PageContext): Promise<Html> {
  return panel({ id: 'movers', title: 'Movers of the week' }, await movers(site, context))
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
${moversTable('Biggest rises', moversOfWeek(data, number, 'up', moversShown), context, currency)}
${moversTable('Biggest falls', moversOfWeek(data, number, 'down', moversShown), context, currency)}
</div>`
}

function moversTable(
  caption: string,
  cards: readonly Mover[],
  context: PageContext,
  currency: string | undefined,
): Html {
  if (cards.length === 0) return html`<p class="note">${caption}: none.</p>`
  return table({
    caption,
    columns: { Card: 'heading', [inCurrency('Price', currency)]: 'figure', Change: 'figure' },
    rows: cards.map(({ id, name, set, change }) => [
      html`<a href="${cardPath(context, id)}">${name}</a> <span class="hint">${set}</span>`,
      price(change.to),
      changeText(change),
    ]),
  })
}
