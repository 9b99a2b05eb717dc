/** Shows the week's movers of a chosen game, on the tab "Look up". */

import { html } from 'hono/html'
import { moverCentsDefault } from '../../api/parameters.ts'
import { historyPlan, plans } from '../../plans.ts'
import { moversOfWeek } from '../cards/card-data.ts'
import { moversList, pictureOrigins } from '../cards/card-parts.ts'
import { moversShown, versionDataOf } from '../cards/version-data.ts'
import { panel } from '../shared/page-parts.ts'
import type { Html, PageContext, Site } from '../site.ts'

interface Movers {
  readonly section: Html
  readonly picturesFrom: readonly string[]
}

/** The game is the parameter `movers` of the address, or else the look-up's `game`. */
export async function moversSection(site: Site, context: PageContext): Promise<Movers> {
  const shown = (content: Html, picturesFrom: readonly string[] = []) => ({
    section: panel({ id: 'movers', title: 'Movers of the week' }, content),
    picturesFrom,
  })
  const { account } = context.var.session
  if (plans[account.plan].rank < plans[historyPlan].rank) {
    return shown(html`<p class="note">Movers come with the ${plans[historyPlan].name} plan and above.</p>`)
  }
  const data = await site.data.open()
  if (data === undefined) return shown(html`<p>No cards have been published yet.</p>`)
  const { movers: chosen = context.req.query('game') ?? '' } = context.req.query()
  // If the text is no game's slug, it means all games.
  const game = data.games.numberOf(chosen)
  const ofGame = (direction: 'up' | 'down') => moversOfWeek(data, game, direction, moversShown)
  const { up, down } = game === -1 ? await versionDataOf(data) : { up: ofGame('up'), down: ofGame('down') }
  const content = html`<form method="get" action="/dashboard/look-up#movers">
<div class="fields">
<div class="field">
<label for="movers-game">Movers of</label>
<select id="movers-game" name="movers">
<option value="">All games</option>
${site.data.listedGames.map(({ id, name }) => html`<option value="${id}"${id === chosen ? html` selected` : ''}>${name}</option>`)}
</select>
</div>
<p><button type="submit">Show</button></p>
</div>
</form>
<p class="hint">Cards at ${(moverCentsDefault / 100).toFixed(2)} or more, over the last 7 days.</p>
<div class="beside">
<div>
<h3>Biggest rises</h3>
${moversList(site, context, 'Biggest rises', up)}
</div>
<div>
<h3>Biggest falls</h3>
${moversList(site, context, 'Biggest falls', down)}
</div>
</div>`
  return shown(
    content,
    pictureOrigins(
      site,
      [...up, ...down].map(({ card }) => card),
    ),
  )
}
