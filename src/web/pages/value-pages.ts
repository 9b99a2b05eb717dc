/** The page "Value a list": what the cards of a list are worth, of an account or a stranger. Nothing of the list is kept. */
import { isUtf8 } from 'node:buffer'
import { html } from 'hono/html'
import type { ReadList } from '../../../clients/typescript/src/list.ts'
import type { ValuedLine } from '../../../clients/typescript/src/valuation.ts'
import { gameNumber, games } from '../../games.ts'
import { listBytesMax, listLineCharsMax, listLinesMax, listLinesPerLookUp, strangerListLinesMax } from '../../limits.ts'
import { bytesIn } from '../forms.ts'
import { knowSession } from '../session.ts'
import type { App, Html, PageContext, Site } from '../site.ts'
import { csvHead, csvRow, linesIn, Turns, textInTurns, valuedIn } from '../valued-list.ts'
import { tabPage, tabPaths } from './account.ts'
import { pageOf } from './frame.ts'
import { countLookUps, refusalOfLookUp } from './look-up.ts'
import { number } from './page-figures.ts'
import { panel } from './page-parts.ts'
import { mayLookUp, valuePath } from './search-form.ts'
import { resultSection } from './value-result.ts'

export function valuePages(app: App, site: Site): void {
  app.use('/value', (context, next) => ofStranger(site, context, next))
  app.use('/value.csv', (context, next) => ofStranger(site, context, next))
  for (const place of ['', '/dashboard']) {
    app.get(`${place}/value`, (context) => shown(site, context, { list: '' }))
    for (const path of [`${place}/value`, `${place}/value.csv`]) {
      app.post(path, async (context) => {
        const turns = new Turns()
        const asked = await askedIn(context)
        const { game } = asked
        const valued = await valuedList(site, context, asked, turns)
        if (!('wrong' in valued) && path.endsWith('.csv')) return csvOf(context, valued.lines, turns)
        // A list that is too long is not sent back.
        const isTooLong = 'wrong' in valued && valued.status === 413
        const list = isTooLong ? '' : await textInTurns(asked.list, turns)
        if ('wrong' in valued) return shown(site, context, { list, game, wrong: valued.wrong }, valued)
        const { currency } = site.data.about
        const result = await resultSection(context, { ...valued, list, game, currency }, turns)
        return shown(site, context, { list, game }, { result })
      })
    }
  }
}

async function ofStranger(site: Site, context: PageContext, next: () => Promise<void>): Promise<Response | undefined> {
  await knowSession(site, context)
  if (context.var.session !== undefined && context.req.method === 'GET') return context.redirect(tabPaths.value, 303)
  if (!mayLookUp(site, context)) return context.redirect('/', 303)
  await next()
  return undefined
}

/** @param result stands under the form */
function shown(
  site: Site,
  context: PageContext,
  given: Given,
  { result, status = 200 }: { readonly result?: Html; readonly status?: 200 | Wrong['status'] } = {},
): Response | Promise<Response> {
  const page = { main: html`${valueForm(context, given)}\n${result}`, scripts: ['value.js'], status }
  if (context.var.session !== undefined) return tabPage(site, context, 'value', page)
  const description =
    'What a list of trading cards is worth: an export of a collection, a deck list, or lines typed by hand.'
  return pageOf(site, context, { ...page, title: 'Value a list', description }, status)
}

interface Given {
  readonly list: Html | ''
  readonly game?: string | undefined
  readonly wrong?: string
}

/** A browser that restores a closed tab fills in fields, unless they say that it must not. */
function valueForm(context: PageContext, { list, game, wrong }: Given) {
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
<p class="hint" id="file-hint">CSV or text, at most ${listBytesMax / 2 ** 20} MB and ${number(linesMax)} lines.</p>
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

interface Asked {
  readonly list: string
  readonly game: string | undefined
  /** The id that was chosen for a line, by its number. */
  readonly choices: ReadonlyMap<number, string>
}

async function askedIn(context: PageContext): Promise<Asked> {
  const fields = await bytesIn(context)
  const file = fields.get('file')
  const game = textOf(fields.get('game'))
  return {
    list: textOf(file?.length ? file : fields.get('list')),
    game: gameNumber(game) === -1 ? undefined : game,
    choices: new Map(
      [...fields].flatMap(([name, id]) =>
        name.startsWith('card-') ? [[Number(name.slice('card-'.length)), textOf(id)] as const] : [],
      ),
    ),
  }
}

interface Wrong {
  readonly wrong: string
  readonly status: 400 | 413 | 429
}

type Valued = (Awaited<ReturnType<typeof valuedIn>> & { readonly read: ReadList }) | Wrong

/** Counts a look-up before the list is read, and the others when its length is known. */
async function valuedList(
  site: Site,
  context: PageContext,
  { list, game, choices }: Asked,
  turns: Turns,
): Promise<Valued> {
  const isStranger = context.var.session === undefined
  const linesMax = isStranger ? strangerListLinesMax : listLinesMax
  const wrong = (message: string, status: Wrong['status'] = 400) => ({ wrong: message, status })
  if (list.length > listBytesMax) return wrong(`A list has at most ${listBytesMax / 2 ** 20} MB.`, 413)
  if (list.trim() === '') return wrong('Write or paste a list, or choose a file.')
  const refused = refusalOfLookUp(site, context)
  if (refused !== undefined) return wrong(`${refused} ${listLinesPerLookUp} lines count as one card.`, 429)
  const read = isReadable(list, linesMax) ? await linesIn(list, game, linesMax, turns) : undefined
  if (read === undefined) {
    return wrong(`${isStranger ? 'Without an account, a list' : 'A list'} has at most ${number(linesMax)} lines.`)
  }
  if (read.lines.length === 0) return wrong('This list has no line with a card.')
  countLookUps(site, context, Math.ceil(read.lines.length / listLinesPerLookUp) - 1)
  const data = await site.data.open()
  if (data === undefined) return wrong('No cards have been published yet.')
  return { ...(await valuedIn(data, read, choices, turns)), read }
}

/** Blank lines and headings count, too, but not for as much. A line of a list is short. */
function isReadable(list: string, linesMax: number): boolean {
  const lines = list.split('\n', 2 * linesMax + 1)
  return lines.length <= 2 * linesMax && lines.every(({ length }) => length <= listLineCharsMax)
}

async function csvOf(context: PageContext, lines: readonly ValuedLine[], turns: Turns): Promise<Response> {
  const rows = [`${csvHead}\r\n`]
  for (const line of lines) {
    rows.push(`${csvRow(line)}\r\n`)
    await turns.pause()
  }
  const headers = {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': 'attachment; filename="list.csv"',
  }
  return context.body(rows.join(''), 200, headers)
}

/** Spreadsheets write UTF-8, UTF-16 with a byte order mark, or the Western European Windows encoding. */
function textOf(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return ''
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe
  const encoding = isWide ? 'utf-16le' : isUtf8(bytes) ? 'utf-8' : 'windows-1252'
  return new TextDecoder(encoding).decode(bytes).replaceAll('\r\n', '\n')
}
