/**
 * The form of "Value a list". It also contains the result, because the server does not store the list: choices are sent
 * together with the list.
 */
import { html } from 'hono/html'
import { listBytesMax } from '../../limits.ts'
import { number } from '../shared/page-figures.ts'
import { panel } from '../shared/page-parts.ts'
import type { Html, PageContext, Site } from '../site.ts'
import { linesMaxOf, megabytes } from './refusals.ts'

/** The addresses of a list's form. The form sends its choices to `listPath`, and gets its CSV from `csvPath`. */
export const listPath = (context: PageContext): string =>
  context.var.session !== undefined || context.req.path.startsWith('/dashboard/') ? '/dashboard/value' : '/value'
export const csvPath = (context: PageContext): string => `${listPath(context)}.csv`

interface Given {
  readonly list: Html | ''
  readonly game?: string | undefined
  readonly wrong?: Html | string | undefined
  readonly result?: Html | ''
  /** The number of lines of the list whose result is shown. */
  readonly lines?: number | undefined
}

export function valueForm(site: Site, context: PageContext, { list, game, wrong, result = '', lines }: Given): Html {
  const invalid = wrong === undefined ? '' : html` autofocus aria-invalid="true"`
  const isStranger = context.var.session === undefined
  // Scripts show the lists that the browser keeps. With a result, the form is folded to one line.
  const fields = html`<details class="list-fields"${lines === undefined && html` open`}>
<summary>Change the list${lines !== undefined && html` <span class="hint">${number(lines)} ${lines === 1 ? 'line' : 'lines'}</span>`}</summary>
<p>Paste a collection, a deck or a stock list, and see what it is worth. The list is not stored on the server. <a href="#kept" class="to-kept">Lists kept on this device</a></p>
<div class="with-kept">
<div>
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
${site.data.listedGames.map(({ id, name }) => html`<option value="${id}"${id === game && html` selected`}>${name}</option>`)}
</select>
<p class="hint" id="game-hint">Of lines that name none.</p>
</div>
</div>
<button type="submit" class="primary">Value it</button>
</div>
<div class="kept" id="kept" tabindex="-1">
<h2>Kept on this device</h2>
<p class="hint">Value a list, then keep it in this browser with the button by its total. When you come back, it is here, and says what has changed.</p>
</div>
</div>
</details>`
  return html`<form method="post" action="${listPath(context)}#result" enctype="multipart/form-data" class="value-list" aria-labelledby="value" data-bytes-max="${listBytesMax}">
${panel({ id: 'value', title: 'Value a list', kind: 'value', isFirst: isStranger }, fields)}
<div id="result">${result}</div>
</form>`
}
