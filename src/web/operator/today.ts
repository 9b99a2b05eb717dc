/**
 * The operator's first page. It shows how old the data is, what the last updates did, who sends requests, and what
 * needs attention.
 */
import { html } from 'hono/html'
import { dayOfMs } from '../../calendar.ts'
import { IndexError } from '../../indexes/format.ts'
import { readReport } from '../../indexes/report-file.ts'
import { acceptedName, type LastUpdate, readUpdatesOfServer, updateLine } from '../../last-updates.ts'
import { StoreError } from '../../store/accounts-error.ts'
import { count, day, durationText, moment } from '../shared/page-figures.ts'
import { copyButton, figures, listOf, notice, panel, table } from '../shared/page-parts.ts'
import type { Html, PageContext, Site } from '../site.ts'
import type { DoctorResult } from './doctor-runs.ts'
import { deskPage } from './frame.ts'
import type { RequestFigures } from './request-hours.ts'
import { requestsOfDay } from './usage.ts'

export async function todayPage(site: Site, context: PageContext): Promise<Response> {
  const { doctor, indexDir } = site.desk!
  const wantsCheck = context.req.query('check') !== undefined
  const [checked, updates, servers, changed] = await Promise.all([
    wantsCheck ? doctor.run().catch(() => doctor.latest()) : doctor.latest(),
    readUpdatesOfServer(indexDir),
    serversTable(site),
    changedPrices(site),
  ])
  const main = html`<div class="beside">
${dataPanel(site, servers, changed)}
${attentionPanel(checked)}
${await requestsPanel(site)}
</div>
${updatesPanel(Object.entries(updates))}`
  return deskPage(site, context, 'today', { main, scripts: ['copy.js'] })
}

/** Returns how many cards have another price than in the version before; undefined if that is not known. */
async function changedPrices({ data: { manifest }, desk }: Site): Promise<number | undefined> {
  if (manifest === undefined) return undefined
  try {
    const report = await readReport(desk!.indexDir, manifest)
    return report?.base == null ? undefined : report.games.reduce((sum, { changed }) => sum + changed, 0)
  } catch (error) {
    if (error instanceof IndexError) return undefined
    throw error
  }
}

function dataPanel({ data: { manifest, since }, clock }: Site, servers: Html | '', changed: number | undefined): Html {
  const panelOf = (content: Html) => panel({ id: 'data', title: 'Data' }, html`${content}${servers}`)
  if (manifest === undefined) return panelOf(html`<p>No version is served yet.</p>`)
  const { asOf, version, builtAt, counts } = manifest
  const facts = listOf({
    'Prices of': asOf === null ? 'an unknown day' : html`${day(asOf)}, ${ageOf(asOf, clock())}`,
    Version: html`<code>${version}</code>`,
    Built: moment(Date.parse(builtAt)),
    'Served here since': since !== undefined && moment(since),
    Cards: count(counts.cards),
    Sets: count(counts.sets),
    'Prices changed': changed === undefined ? null : html`${count(changed)} since the version before`,
  })
  return panelOf(facts)
}

/** @param asOf YYYY-MM-DD */
function ageOf(asOf: string, now: number): string {
  const days = dayOfMs(now) - dayOfMs(Date.parse(asOf))
  if (days < 0) return 'in the future'
  return ['today', 'yesterday'][days] ?? `${days} days ago`
}

/** The table of servers; '' if no other server shares the accounts. */
async function serversTable({ replication }: Site): Promise<Html | ''> {
  try {
    const servers = await replication.servers()
    if (servers === undefined) return ''
    return table({
      caption: 'Servers that share the accounts',
      columns: { Server: 'heading', Version: 'text', 'Last heartbeat': 'figure' },
      narrow: 'labelled',
      rows: servers
        .toSorted((a, b) => (a.address < b.address ? -1 : 1))
        .map(({ address, version, silentMs }) => [
          address,
          version == null ? html`<span class="unknown">unknown</span>` : html`<code>${version}</code>`,
          `${(silentMs / 1000).toFixed(1)} s ago`,
        ]),
    })
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return notice(html`<p>${error.message}</p>`, true)
  }
}

function attentionPanel(checked: DoctorResult | undefined): Html {
  const wrong = checked?.findings.filter(({ state }) => state !== 'ok') ?? []
  const again = html`<a class="button" href="/operator?check">Check now</a>`
  const content =
    checked === undefined
      ? html`<p>The first check is running.</p>`
      : html`<p class="state${wrong.length === 0 ? '' : ' bad'}">${wrong.length === 0 ? 'All is well' : `${wrong.length} of ${checked.findings.length} parts need a look`}</p>
<ul class="findings">
${wrong.map(
  ({ part, state, found, advice }) =>
    html`<li><span class="tag">${state}</span> <strong>${part}</strong>: ${found}${advice && html`<p class="hint">${advice}</p>`}</li>\n`,
)}
</ul>
<p class="hint">As <code>card-prices doctor</code> found at ${moment(checked.at)}.</p>`
  return panel({ id: 'attention', title: 'What needs a look', beside: again }, content)
}

const hourColumns = [
  ['Requests', 'requests'],
  ['No key', 'unauthorized'],
  ['Refused', 'forbidden'],
  ['Over quota', 'overQuota'],
  ['Failed', 'failed'],
] as const satisfies readonly (readonly [label: string, name: keyof RequestFigures])[]

async function requestsPanel(site: Site): Promise<Html> {
  const now = site.clock()
  const hours = site.desk!.requests.hours(now)
  const { requests, isWhole } = await requestsOfDay(site, dayOfMs(now))
  const sumOf = (name: keyof RequestFigures) => hours.reduce((sum, hour) => sum + hour[name], 0)
  const facts = listOf({
    'Counted to quotas': count(requests),
    'No or wrong key (401)': count(sumOf('unauthorized')),
    'Refused (403)': count(sumOf('forbidden')),
    'Over quota (429)': count(sumOf('overQuota')),
    'Failed (5xx)': count(sumOf('failed')),
  })
  const rows = hours
    .map((hour, i) => [
      html`<span class="figure">${String(i).padStart(2, '0')}:00</span>`,
      ...hourColumns.map(([, name]) => count(hour[name])),
    ])
    .toReversed()
  const byHour = table({
    caption: 'Requests by hour (UTC)',
    isCaptionUnseen: true,
    columns: { Hour: 'heading', ...Object.fromEntries(hourColumns.map(([label]) => [label, 'figure' as const])) },
    rows,
  })
  return panel(
    { id: 'requests', title: 'Requests today' },
    html`${facts}
${!isWhole && html`<p class="note">Requests to other servers are missing, because their store can’t be asked right now.</p>`}
${figures('Requests by hour', byHour)}
<p class="hint">Refused and failed requests, and those by hour, are of this server since it started.</p>`,
  )
}

function updatesPanel(updates: readonly (readonly [source: string, update: LastUpdate])[]): Html {
  if (updates.length === 0) {
    const content = html`<p class="first">No <code>card-prices update</code> has run into this server’s indexes.</p>`
    return panel({ id: 'updates', title: 'Updates' }, content)
  }
  const rows = updates.map(
    ([source, { success, error, isAway, isNew, endedAt, startedAt, day: of, counts, version }]) => [
      source,
      html`<span>${moment(Date.parse(endedAt))} <span class="hint">in ${durationText(Date.parse(endedAt) - Date.parse(startedAt))}</span></span>`,
      success
        ? html`<span class="tag">${isNew ? 'imported' : 'nothing new'}</span>`
        : html`<span><span class="tag">${isAway === true ? 'away' : 'failed'}</span> ${error}</span>`,
      of === null ? '' : day(of),
      counts === null ? '' : html`<span>${count(counts.cards)} cards, ${count(counts.newIds)} of them new</span>`,
      version === null ? '' : html`<code>${version}</code>`,
    ],
  )
  const held = updates.filter(([, update]) => update.held.length > 0)
  return panel(
    { id: 'updates', title: 'Updates' },
    html`${table({
      caption: 'The last run of each source',
      columns: {
        Source: 'heading',
        Ended: 'text',
        Result: 'text',
        'Prices of': 'text',
        Import: 'text',
        Version: 'text',
      },
      narrow: 'labelled',
      rows,
    })}
${held.map(([source, update], i) => heldSets(source, update, `accept-${i}`))}`,
  )
}

function heldSets(source: string, { held, snapshots, options }: LastUpdate, id: string): Html {
  const line = updateLine(source, snapshots, ...options, '--accept', held.map(acceptedName).join(','))
  return html`${table({
    caption: `Sets of ${source} that keep earlier prices`,
    columns: { Set: 'heading', Figures: 'text', Runs: 'figure' },
    narrow: 'labelled',
    rows: held.map((set) => [acceptedName(set), set.figures, count(set.runs)]),
  })}
<p>If their source is right, this takes them as they are:</p>
<pre tabindex="0"><code id="${id}">${line}</code></pre>
<p class="choice">${copyButton(id, 'Copy line')}</p>`
}
