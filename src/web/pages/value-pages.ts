/**
 * The page "Value a list" shows what the cards of a list are worth. Accounts and strangers can use it. The server keeps
 * nothing of a list. No list is lost: whatever happens, the page that answers has the list in its field.
 *
 *   form ─ room? ─ session? ─ read ─ quota ─┬─ the page: the form, how many lines are done, the result
 *                                           └─ or the CSV
 */
import { html } from 'hono/html'
import { retrySoonSeconds } from '../../limits.ts'
import { type BegunList, beginList, crowded, failureOf, type Refusal } from '../begun-list.ts'
import { SenderGone } from '../form-bodies.ts'
import { bytesIn } from '../forms.ts'
import { ListRoom } from '../list-room.ts'
import { fieldParts, lineCount, type SentList, sentListIn } from '../sent-list.ts'
import { knowSession } from '../session.ts'
import type { App, Html, PageContext, Site } from '../site.ts'
import { laterPart, type Part, streamed, streamedPage } from '../streamed-page.ts'
import { Turns } from '../turns.ts'
import { csvHead, csvRow, valuedIn } from '../valued-list.ts'
import { tabPage, tabPaths } from './account.ts'
import { pageOf } from './frame.ts'
import { number } from './page-figures.ts'
import { mayLookUp } from './search-form.ts'
import { valueForm } from './value-form.ts'
import { ListResult, picturesFrom } from './value-result.ts'

/** When the page begins to show how many lines are done, and how often it shows this. */
const progressAfterMs = 1000
const progressEveryMs = 300

export function valuePages(app: App, site: Site): void {
  const room = new ListRoom()
  app.use('/value', (context, next) => ofStranger(site, context, next))
  app.use('/value.csv', (context, next) => ofStranger(site, context, next))
  for (const place of ['', '/dashboard']) {
    app.get(`${place}/value`, (context) => shown(site, context, {}))
    app.post(`${place}/value`, (context) => answer(site, room, context))
    app.post(`${place}/value.csv`, (context) => answer(site, room, context))
  }
}

async function ofStranger(site: Site, context: PageContext, next: () => Promise<void>): Promise<Response | undefined> {
  await knowSession(site, context)
  if (context.var.session !== undefined && context.req.method === 'GET') return context.redirect(tabPaths.value, 303)
  if (!mayLookUp(site, context)) return context.redirect('/', 303)
  await next()
  return undefined
}

interface Shown {
  readonly list?: Html | ''
  readonly game?: string | undefined
  readonly wrong?: Refusal['wrong']
  readonly result?: Html | ''
  readonly status?: 200 | Refusal['status']
}

function shown(
  site: Site,
  context: PageContext,
  { list = '', status = 200, ...given }: Shown,
): Response | Promise<Response> {
  const page = {
    main: valueForm(context, { list, ...given }),
    scripts: ['value.js'],
    picturesFrom: picturesFrom(site),
    status,
  }
  if (context.var.session !== undefined) return tabPage(site, context, 'value', page)
  const description =
    'What a list of trading cards is worth: an export of a collection, a deck list, or lines typed by hand.'
  return pageOf(site, context, { ...page, title: 'Value a list', description }, status)
}

/**
 * Answers a form with a list. The response is the CSV, or the page with the list in its field. The page also has the
 * result, or says what is wrong. Rejects with SenderGone if the reader disconnected while the list waited.
 */
async function answer(site: Site, room: ListRoom, context: PageContext): Promise<Response> {
  const { outgoing } = context.env
  const turns = new Turns()
  const sent = sentListIn(await bytesIn(context, turns))
  const leave = await room.enter(lineCount(sent.bytes))
  whenClosed(outgoing, () => leave?.())
  if (outgoing.closed) throw new SenderGone('while the list waited')
  const begun = leave === undefined ? crowded : await beginList(site, context, sent, turns)
  const list = sent.hasScripts ? [] : fieldParts(sent.bytes, turns)
  if ('wrong' in begun) {
    leave?.()
    if (begun.status === 503) context.header('Retry-After', String(retrySoonSeconds))
    const page = await shown(site, context, { list: laterPart, game: sent.game, ...begun })
    return streamedPage(page, [list])
  }
  let valued = 0
  whenClosed(outgoing, () => begun.refund(valued))
  const onValued = (lines: number) => {
    valued = lines
  }
  const valuing = { ...begun, ...sent, turns, onValued }
  if (context.req.path.endsWith('.csv')) {
    return streamed(csvParts(valuing), new Response(null, { headers: csvHeaders }))
  }
  const page = await shown(site, context, { list: laterPart, game: sent.game, result: laterPart })
  return streamedPage(page, [list, resultParts(site, context, valuing)])
}

/**
 * Calls `action` when the response has been sent, or when its reader has disconnected, which may have happened already.
 * The parts of a response can't tell: a reader may disconnect before the first one is asked for.
 */
function whenClosed(outgoing: PageContext['env']['outgoing'], action: () => void): void {
  if (outgoing.closed) action()
  else outgoing.once('close', action)
}

interface Valuing extends BegunList, SentList {
  readonly turns: Turns
  /** Called with the number of lines that are valued now. */
  readonly onValued: (lines: number) => void
}

/**
 * The parts of the result: how many lines are done, if valuing takes time, then the result. The style shows only the
 * last part.
 */
async function* resultParts(
  site: Site,
  context: PageContext,
  { data, read, choices, columns, turns, onValued }: Valuing,
): AsyncGenerator<Part> {
  try {
    const result = new ListResult(site, context, read, { hasChosenColumns: columns !== undefined, ...choices })
    let done = 0
    let sayAt = performance.now() + progressAfterMs
    yield '<div class="valuing">'
    for await (const lines of valuedIn(data, read, choices, turns)) {
      await result.add(lines, turns)
      done += lines.length
      onValued(done)
      if (performance.now() < sayAt) continue
      yield String(progress(done, read.lines.length))
      sayAt = performance.now() + progressEveryMs
    }
    yield '</div>\n'
    yield* result.parts()
  } catch (error) {
    onValued(0)
    yield String(html`</div>\n<p class="wrong" role="alert">${failureOf(site, error).wrong}</p>`)
  }
}

const progress = (done: number, all: number): Html =>
  html`<p><progress max="${all}" value="${done}" aria-label="Lines valued"></progress> ${number(done)} of ${number(all)} lines</p>\n`

const csvHeaders = {
  'Content-Type': 'text/csv; charset=utf-8; header=present',
  'Content-Disposition': 'attachment; filename="list.csv"',
}

async function* csvParts({ data, read, choices, turns, onValued }: Valuing): AsyncGenerator<Part> {
  yield `${csvHead}\r\n`
  let done = 0
  for await (const lines of valuedIn(data, read, choices, turns)) {
    done += lines.length
    onValued(done)
    yield lines.map(({ valued }) => `${csvRow(valued)}\r\n`).join('')
  }
}
