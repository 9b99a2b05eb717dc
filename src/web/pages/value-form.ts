/**
 * The form of "Value a list". It is also around the result, since choices are sent with the list, which the server does
 * not keep.
 */
import { html } from 'hono/html'
import { games } from '../../games.ts'
import { listBytesMax } from '../../limits.ts'
import { linesMaxOf, megabytes } from '../begun-list.ts'
import type { Html, PageContext } from '../site.ts'
import { number } from './page-figures.ts'
import { panel } from './page-parts.ts'

/** The addresses of a list's form. The form sends its choices to `listPath`, and gets its CSV from `csvPath`. */
export const listPath = (context: PageContext): string =>
  context.var.session !== undefined || context.req.path.startsWith('/dashboard/') ? '/dashboard/value' : '/value'
export const csvPath = (context: PageContext): string => `${listPath(context)}.csv`

interface Given {
  readonly list: Html | ''
  readonly game?: string | undefined
  readonly wrong?: Html | string | undefined
  readonly result?: Html | ''
}

export function valueForm(context: PageContext, { list, game, wrong, result = '' }: Given): Html {
  const invalid = wrong === undefined ? '' : html` autofocus aria-invalid="true"`
  const isStranger = context.var.session === undefined
  const fields = html`<p>Paste a collection, a deck or a stock list, and see what it is worth. The list is not stored.</p>
${wrong && html`<p class="wrong" id="list-wrong" role="alert">${wrong}</p>`}
<div class="field">
<label for="list">Your list</label>
<textarea id="list" name="list" rows="8" autocapitalize="off" spellcheck="false" aria-describedby="list-hint${wrong && ' list-wrong'}"${invalid}>
${list}</textarea>
<p class="hint" id="list-hint">A card a line, such as <code>4 Lightning Bolt (2XM) 141 *F*</code> or <code>1 Charizard 4/102 Base Set</code>. Or an export: ManaBox, Moxfield, Archidekt, Deckbox, Dragon Shield, Delver Lens, TopDecked, TCGplayer, Cardmarket, Card Kingdom, MTGO, MTG Arena and more.</p>
</div>
<div class="fields">
<div class="field">
<label for="file">or a file</label>
<input id="file" name="file" type="file" accept=".csv,.txt,.dek,.ydk,text/csv,text/plain" aria-describedby="file-hint">
<p class="hint" id="file-hint">CSV or text, at most ${megabytes} and ${number(linesMaxOf(context))} lines.</p>
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
<button type="submit" class="primary">Value it</button>`
  return html`<form method="post" action="${listPath(context)}#result" enctype="multipart/form-data" class="value-list" aria-labelledby="value" data-bytes-max="${listBytesMax}">
${panel({ id: 'value', title: 'Value a list', kind: 'value', isFirst: isStranger }, fields)}
<div id="result">${result}</div>
</form>`
}
