/**
 * The page "Value a list" shows what the cards of a list are worth. Accounts and strangers can use it. The server keeps
 * nothing of a list. No list is lost: even a page that reports an error has the list in its field.
 *
 *    1 value-page.ts             calls the others in this order
 *    2 ../shared/form-reader.ts  the form's fields
 *    3 list-form.ts              the list among them, and what the person chose
 *    4 list-room.ts              a place, after the lists that came before
 *    5 admission.ts              session, size, data
 *    6 lines-in-turns.ts         text ─► lines, by lists/read-list.ts
 *    7 list-quota.ts             lines ─► requests of the quota
 *    8 lists/values.ts           lines ─► values, by match
 *    9 lists/totals.ts           values ─► totals
 *   10 result-view.ts            the page; or the CSV, by shown-lines.ts
 *
 * If a step finds a reason not to value the list, it returns a Refusal (refusals.ts), and the later steps are left out.
 */
import { html } from 'hono/html'
import type { Dataset } from '../../api/dataset.ts'
import { lineCandidatesMax, retrySoonSeconds } from '../../limits.ts'
import { ListFormError, type ReadList } from '../../lists/read-list.ts'
import { noLines, plus, totalsOf } from '../../lists/totals.ts'
import { type Ask, valuesOf } from '../../lists/values.ts'
import { tabPage, tabPaths } from '../account/account.ts'
import { type Card, knownGamesOf, knownSetsOf, matchOf } from '../cards/card-data.ts'
import { formOf } from '../shared/form-reader.ts'
import { pageOf } from '../shared/frame.ts'
import { number } from '../shared/page-figures.ts'
import { mayLookUp } from '../shared/search-form.ts'
import { knowSession } from '../shared/session.ts'
import { laterPart, type Part, streamed, streamedPage } from '../shared/streamed-page.ts'
import { SenderGone, Turns } from '../shared/turns.ts'
import type { App, Html, PageContext, Site } from '../site.ts'
import { admit } from './admission.ts'
import { valueForm } from './form-view.ts'
import { linesIn } from './lines-in-turns.ts'
import { type SentList, sentListIn } from './list-form.ts'
import { countLines, type Refund } from './list-quota.ts'
import { ListRoom } from './list-room.ts'
import { LinesOverTime } from './over-time.ts'
import { mayShowOverTime, overTimePanels, withoutOverTime } from './over-time-view.ts'
import { blank, crowded, failureOf, linesMaxOf, noCards, noList, type Refusal, tooManyLines } from './refusals.ts'
import { ListResult, picturesFrom } from './result-view.ts'
import { csvHead, csvRow, showing } from './shown-lines.ts'

/** How many lines are valued at a time. */
const linesAtOnce = 20

/** The times after which the page first shows, and then updates, how many lines are done. */
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
  readonly lines?: number
  readonly status?: 200 | Refusal['status']
}

function shown(
  site: Site,
  context: PageContext,
  { list = '', status = 200, ...given }: Shown,
): Response | Promise<Response> {
  const page = {
    main: valueForm(site, context, { list, ...given }),
    scripts: mayShowOverTime(context) ? ['charts.js', 'value.js'] : ['value.js'],
    picturesFrom: picturesFrom(site),
    isWithoutSecret: given.lines !== undefined,
    arrivesInParts: true,
    status,
  }
  if (context.var.session !== undefined) return tabPage(site, context, 'value', page)
  const description =
    'What a list of trading cards is worth: an export of a collection, a deck list, or lines typed by hand.'
  return pageOf(site, context, { ...page, title: 'Value a list', description }, status)
}

/** The response to a script: only the form, with the result or with the reason why there is none. */
const formAlone = (site: Site, context: PageContext, { status = 200, ...given }: Shown): Response | Promise<Response> =>
  context.html(
    html`<!doctype html><title>Value a list</title><main>${valueForm(site, context, { list: '', ...given })}</main>`,
    status,
  )

/**
 * Answers a form with a list. The response is the CSV, or the page with the list in its field. The page also has the
 * result, or says what is wrong. Rejects with SenderGone if the reader disconnected while the list waited.
 */
async function answer(site: Site, room: ListRoom, context: PageContext): Promise<Response> {
  const { outgoing } = context.env
  const turns = new Turns(() => outgoing.closed)
  const sent = await sentListIn(await formOf(context), site.data.games, turns)
  const leave = await room.enter(sent.lineCount)
  whenClosed(outgoing, () => leave?.())
  if (outgoing.closed) throw new SenderGone('while the list waited')
  const begun = leave === undefined ? crowded : await begin(site, context, sent, turns)
  const list = sent.fieldParts()
  if ('wrong' in begun) {
    leave?.()
    if (begun.status === 503) context.header('Retry-After', String(retrySoonSeconds))
    const page = await (sent.hasScripts
      ? formAlone(site, context, begun)
      : shown(site, context, { list: laterPart, game: sent.game, ...begun }))
    return streamedPage(page, sent.hasScripts ? [] : [list])
  }
  whenClosed(outgoing, () => begun.refund(begun.valued))
  if (context.req.path.endsWith('.csv')) {
    return streamed(csvParts(site, begun), new Response(null, { headers: csvHeaders }), { gzipFor: context })
  }
  const given = { result: laterPart, lines: begun.read.lines.length }
  const page = await (sent.hasScripts
    ? formAlone(site, context, given)
    : shown(site, context, { list: laterPart, game: sent.game, ...given }))
  const parts = [...(sent.hasScripts ? [] : [list]), resultParts(site, context, begun)]
  return streamedPage(page, parts, { gzipFor: context })
}

/** A list whose lines are read, and counted against the quota. */
interface BegunList {
  readonly data: Dataset
  readonly sent: SentList
  readonly read: ReadList
  readonly refund: Refund
  readonly turns: Turns
  /** How many lines have been valued so far. */
  valued: number
}

/** Reads the list, and counts its lines against the quota. Rejects only with SenderGone. */
async function begin(site: Site, context: PageContext, sent: SentList, turns: Turns): Promise<BegunList | Refusal> {
  try {
    const data = await admit(site, context, sent.bytes)
    if ('wrong' in data) return data
    await turns.pause()
    const text = sent.text()
    await turns.pause()
    if (!/\S/.test(text)) return blank
    const max = linesMaxOf(context)
    const reading = { game: sent.game, columns: sent.columns, known: { games: knownGamesOf(data) } }
    const setsOf = () => knownSetsOf(data, () => turns.pause())
    const read = await linesIn(text, reading, { max, turns, setsOf })
    if (read === undefined) return tooManyLines(context)
    if (read.lines.length === 0) return noCards
    const refund = await countLines(site, context, read.lines.length)
    return 'wrong' in refund ? refund : { data, sent, read, refund, turns, valued: 0 }
  } catch (error) {
    if (error instanceof SenderGone) throw error
    return error instanceof ListFormError ? noList(error) : failureOf(site, error)
  }
}

/**
 * Calls `action` when the response has been sent, or when its reader has disconnected, which may have happened already.
 * The generator of the parts can't notice that: a reader may disconnect before the first part is requested.
 */
function whenClosed(outgoing: PageContext['env']['outgoing'], action: () => void): void {
  if (outgoing.closed) action()
  else outgoing.once('close', action)
}

/** Yields the values of a list in batches, in the order of the lines. */
async function* shownIn(site: Site, list: BegunList) {
  const { data, sent, read, turns } = list
  const ask: Ask<Card> = async (questions) => {
    const matches = []
    for (const question of questions) {
      matches.push(matchOf(data, question, lineCandidatesMax))
      await turns.pause()
    }
    return matches
  }
  const show = showing(data, read.lines, sent.choices, site.data.about.currency)
  for await (const valued of valuesOf(read.lines, ask, { linesAtOnce, games: () => knownGamesOf(data) })) {
    const lines = []
    for (const line of valued) {
      lines.push(show(line))
      await turns.pause()
    }
    list.valued += lines.length
    yield lines
  }
}

/**
 * Yields how many lines are done, if valuing takes time, and then the result. The style sheet shows only the last
 * message, and none beside the result.
 */
async function* resultParts(site: Site, context: PageContext, list: BegunList): AsyncGenerator<Part> {
  const { data, read, sent, turns } = list
  try {
    const result = new ListResult(site, context, read)
    const overTime = mayShowOverTime(context) ? new LinesOverTime(data) : undefined
    let sum = noLines
    let sayAt = performance.now() + progressAfterMs
    yield '<div class="valuing">'
    for await (const lines of shownIn(site, list)) {
      const valued = lines.map((line) => line.valued)
      sum = plus(sum, valued)
      overTime?.add(valued)
      await result.add(lines, turns)
      if (performance.now() < sayAt) continue
      yield String(progress(list.valued, read.lines.length))
      sayAt = performance.now() + progressEveryMs
    }
    const totals = totalsOf(sum, read.columns)
    const currency = site.data.about.currency ?? totals.currency ?? undefined
    const panels = totals.total === null ? '' : await overTimeOf(context, list, overTime, currency)
    yield '</div>\n'
    yield* result.parts(read, totals, sent, panels)
  } catch (error) {
    if (error instanceof SenderGone) throw error
    list.valued = 0
    yield String(html`</div>\n<p class="wrong" role="alert">${failureOf(site, error).wrong}</p>`)
  }
}

/** Renders "Over time". @param overTime undefined if the plan has no histories */
async function overTimeOf(
  context: PageContext,
  { data, turns }: BegunList,
  overTime: LinesOverTime | undefined,
  currency: string | undefined,
): Promise<Html> {
  if (overTime === undefined) return withoutOverTime(context)
  return overTimePanels(context, { overTime: await overTime.figures(turns), data, currency }, turns)
}

const progress = (done: number, all: number): Html =>
  html`<p><progress max="${all}" value="${done}" aria-label="Lines valued"></progress> ${number(done)} of ${number(all)} lines</p>\n`

const csvHeaders = {
  'Content-Type': 'text/csv; charset=utf-8; header=present',
  'Content-Disposition': 'attachment; filename="list.csv"',
}

async function* csvParts(site: Site, list: BegunList): AsyncGenerator<Part> {
  yield `${csvHead}\r\n`
  for await (const lines of shownIn(site, list)) {
    yield lines.map((line) => `${csvRow(line)}\r\n`).join('')
  }
}
