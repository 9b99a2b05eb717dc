/** The audit log as the operator reads it: filtered by account, action and days, page by page, and as CSV. */
import { setImmediate as pause } from 'node:timers/promises'
import { html } from 'hono/html'
import { accountOnceNamed } from '../../accounts/registry.ts'
import { dayMs } from '../../calendar.ts'
import { csvField } from '../../catalog/card-fields.ts'
import { auditDaysKept, pageRowsMax } from '../../limits.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import type { NumberedEntry, Store } from '../../store/store.ts'
import { type AuditAction, type AuditRow, auditActions } from '../../store/store-records.ts'
import { moment } from '../shared/page-figures.ts'
import { panel, table } from '../shared/page-parts.ts'
import { streamed } from '../shared/streamed-page.ts'
import type { App, Html, PageContext, Site } from '../site.ts'
import { deskPage, deskPaths } from './frame.ts'

const entriesInCsvPart = 200
const daysShown = 30
const columns = ['time', 'actor', 'action', 'account', 'keyId', 'detail'] as const

export function auditPages(app: App, site: Site): void {
  app.get(deskPaths.log, (context) => logPage(site, context))

  app.get(`${deskPaths.log}.csv`, (context) => {
    const { filter } = filterIn(site, context)
    return streamed(csvParts(site.store, filter), new Response(null, { headers: csvHeaders }))
  })
}

const csvHeaders = {
  'Content-Type': 'text/csv; charset=utf-8; header=present',
  'Content-Disposition': 'attachment; filename="audit-log.csv"',
}

async function* csvParts(store: Store, filter: AuditFilter | undefined): AsyncGenerator<string> {
  // Excel needs the byte order mark.
  yield `\uFEFF${columns.join()}\r\n`
  for (let before: NumberedEntry | undefined; filter !== undefined; ) {
    const entries: NumberedEntry[] = store.auditEntries({ ...filter, before }, entriesInCsvPart)
    if (entries.length === 0) return
    before = entries.at(-1)
    yield entries.map(csvLine).join('')
    // Other pages are answered between two parts.
    await pause()
  }
}

const csvLine = ({ time, ...entry }: NumberedEntry): string => {
  const texts = { ...entry, time: new Date(time).toISOString() }
  return `${columns.map((name) => csvField(texts[name] ?? '')).join()}\r\n`
}

interface AuditFilter {
  readonly account: number | undefined
  readonly action: AuditAction | undefined
  readonly since: number
}

/** The filter is undefined if there never was an account of that name. */
function filterIn({ store, clock }: Site, { req }: PageContext) {
  const { account = '', action = '', days = '' } = req.query()
  const known = auditActions.find((each) => each === action)
  const number = /^[1-9]\d{0,2}$/.test(days) ? Math.min(Number(days), auditDaysKept) : daysShown
  const since = clock() - number * dayMs
  const named = account.trim() === '' ? undefined : numberOf(store, account.trim())
  const filter: AuditFilter | undefined = named === null ? undefined : { account: named, action: known, since }
  return { filter, typed: { account, action: known ?? '', days: String(number) } }
}

/** Returns the account's number; null if there never was such an account. */
function numberOf(store: Store, name: string): number | null {
  try {
    return accountOnceNamed(store, name).number
  } catch (error) {
    if (error instanceof AccountsError) return null
    throw error
  }
}

function logPage(site: Site, context: PageContext): Response | Promise<Response> {
  const { filter, typed } = filterIn(site, context)
  const { before: from = '' } = context.req.query()
  const [, time, number] = /^(\d{1,15})-(\d{1,15})$/.exec(from) ?? []
  const before = time === undefined ? undefined : { time: Number(time), number: Number(number) }
  const entries = filter === undefined ? [] : site.store.auditEntries({ ...filter, before }, pageRowsMax)
  const last = entries.at(-1)
  const query = new URLSearchParams(typed)
  const csv = html`<a class="button" href="${deskPaths.log}.csv?${query}" download>Download CSV</a>`
  const older =
    last !== undefined &&
    entries.length === pageRowsMax &&
    html`<p><a class="button" href="${deskPaths.log}?${query}&before=${last.time}-${last.number}">Older entries</a></p>`
  const content = html`${filterForm(typed)}
${filter === undefined ? html`<p class="first">There is no account of this name, and never was.</p>` : auditTable(entries)}
${older}`
  return deskPage(site, context, 'log', {
    main: panel({ id: 'entries', title: 'Entries', beside: csv }, content),
  })
}

const filterForm = ({ account, action, days }: Readonly<Record<'account' | 'action' | 'days', string>>) => html`
<form method="get" action="${deskPaths.log}" class="field">
<div class="fields">
<div class="field"><label for="account">Account</label><input id="account" name="account" autocomplete="off" value="${account}"></div>
<div class="field"><label for="action">Action</label><select id="action" name="action">
<option value="">All actions</option>
${auditActions.map((each) => html`<option value="${each}"${each === action && html` selected`}>${each}</option>`)}
</select></div>
<div class="field"><label for="days">Days</label><input id="days" name="days" type="number" min="1" max="${auditDaysKept}" value="${days}"></div>
<button type="submit">Show</button>
</div>
</form>`

/** A table of the entries, in their order: who did what to which account or key. */
export function auditTable(entries: readonly AuditRow[]): Html {
  if (entries.length === 0) return html`<p class="first">There is no entry.</p>`
  const entriesTable = table({
    caption: 'Entries of the audit log',
    isCaptionUnseen: true,
    kind: 'entries',
    columns: { Time: 'heading', Actor: 'text', Action: 'text', Account: 'text', Key: 'text', Detail: 'text' },
    rows: entries.map(({ time, actor, action, account, keyId, detail }) => [
      moment(time),
      actor,
      action,
      account ?? '',
      keyId === null ? '' : html`<code>${keyId}</code>`,
      detail ?? '',
    ]),
  })
  return html`<div class="scrolls" tabindex="0" role="region" aria-label="Entries as a table">\n${entriesTable}\n</div>`
}
