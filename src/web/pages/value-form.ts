/** The form of the page "Value a list". */
import { html } from 'hono/html'
import { games } from '../../games.ts'
import { listBytesMax, listLinesMax, strangerListLinesMax } from '../../limits.ts'
import type { Html, PageContext } from '../site.ts'
import { number } from './page-figures.ts'
import { panel } from './page-parts.ts'
import { placeOf } from './search-form.ts'

export interface Given {
  readonly list: Html | ''
  readonly game?: string | undefined
  readonly wrong?: string
}

export const valuePath = (context: PageContext): string => `${placeOf(context)}/value`

/** A browser that restores a closed tab fills in fields, unless they say that it must not. */
export function valueForm(context: PageContext, { list, game, wrong }: Given) {
  const isStranger = context.var.session === undefined
  const linesMax = isStranger ? strangerListLinesMax : listLinesMax
  const invalid = wrong === undefined ? '' : html` autofocus aria-invalid="true"`
  return panel(
    { id: 'value', title: 'Value a list', kind: 'value', isFirst: isStranger },
    html`<p>Paste a collection, a deck or a stock list, and see what it is worth. The list is not stored.</p>
<form method="post" action="${valuePath(context)}#total" enctype="multipart/form-data" autocomplete="off" aria-labelledby="value">
${wrong && html`<p class="wrong" id="list-wrong" role="alert">${wrong}</p>`}
<div class="field">
<label for="list">Your list</label>
<textarea id="list" name="list" rows="8" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="list-hint${wrong && ' list-wrong'}"${invalid}>
${list}</textarea>
<p class="hint" id="list-hint">A card a line, such as <code>4 Lightning Bolt (2XM) 141 *F*</code> or <code>1 Charizard 4/102 Base Set</code>. Or an export: ManaBox, Moxfield, Archidekt, Deckbox, Dragon Shield, Delver Lens, TopDecked, TCGplayer, Card Kingdom, MTGO, MTG Arena.</p>
</div>
<div class="tables">
<div class="field">
<label for="file">or a file</label>
<input id="file" name="file" type="file" accept=".csv,.txt,text/csv,text/plain" aria-describedby="file-hint">
<p class="hint" id="file-hint">CSV or text, at most ${listBytesMax / 1024} KB and ${number(linesMax)} lines.</p>
</div>
<div class="field">
<label for="game">Game <span class="hint">(optional)</span></label>
<select id="game" name="game" autocomplete="off" aria-describedby="game-hint">
<option value="">Any game</option>
${games.map(({ id, name }) => html`<option value="${id}"${id === game && html` selected`}>${name}</option>`)}
</select>
<p class="hint" id="game-hint">Of lines that name none.</p>
</div>
</div>
<button type="submit" class="primary">Value it</button>
</form>`,
  )
}
