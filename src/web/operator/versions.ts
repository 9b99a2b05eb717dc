/**
 * The versions on disk, and what changed in each. A button makes another version current, as `card-prices rollback
 * VERSION` does.
 */
import { html } from 'hono/html'
import { IndexError } from '../../indexes/format.ts'
import { bytesOf, filesOf, type Manifest, readCurrent } from '../../indexes/manifest.ts'
import { publishedVersions } from '../../indexes/publish/versions.ts'
import { readReport } from '../../indexes/report-file.ts'
import { pageOf } from '../shared/frame.ts'
import { count, day, moment } from '../shared/page-figures.ts'
import { notice, panel, table } from '../shared/page-parts.ts'
import { problemPage } from '../shared/problem.ts'
import { tokenField } from '../shared/session.ts'
import type { App, Html, PageContext, Site } from '../site.ts'
import { deskPage, deskPaths } from './frame.ts'
import { runProgram } from './program.ts'
import { changesPanel } from './version-changes.ts'

type Answer = Response | Promise<Response>

export function versionPages(app: App, site: Site): void {
  app.get(deskPaths.versions, (context) => versionsPage(site, context))

  app.on(['GET', 'POST'], `${deskPaths.versions}/:version/current`, async (context) => {
    const version = context.req.param('version') ?? ''
    const { versions, current } = await onDisk(site)
    const asked = versions.find((one) => one.version === version)
    if (asked === undefined) return problemPage(site, context, 404, 'There is no such version here, or no longer.')
    if (version === current) {
      return problemPage(site, context, 409, `The version ${version} is current already, so nothing was changed.`)
    }
    if (context.req.method === 'GET') return askPage(site, context, asked)
    const failure = await makeCurrent(version)
    if (failure !== undefined) {
      site.log.warn({ version, reason: failure }, 'a version could not be made current on a page')
      return versionsPage(site, context, failure)
    }
    site.log.info({ version, before: current }, 'a version was made current on a page')
    return context.redirect(`${deskPaths.versions}?done=${version}`, 303)
  })
}

/** Makes the version current. Returns undefined, or the reason for a failure in one line. */
async function makeCurrent(version: string): Promise<string | undefined> {
  try {
    const { code, stderr } = await runProgram('rollback', version)
    return code === 0 ? undefined : stderr.trim().split('\n')[0] || `the command ended with ${code}`
  } catch (error) {
    return (error as Error).message.split('\n')[0]
  }
}

interface OnDisk {
  /** The versions, newest publication first. */
  readonly versions: readonly Manifest[]
  readonly current: string | undefined
  /** What is wrong with the current version. */
  readonly wrong?: string
}

async function onDisk({ desk }: Site): Promise<OnDisk> {
  const { indexDir } = desk!
  const versions = await publishedVersions(indexDir).catch(() => [])
  try {
    const current = await readCurrent(indexDir)
    const isKnown = current === undefined || versions.some(({ version }) => version === current)
    return isKnown ? { versions, current } : { versions, current, wrong: `${current} is current, and can’t be read.` }
  } catch (error) {
    if (!(error instanceof IndexError)) throw error
    return { versions, current: undefined, wrong: error.message }
  }
}

/** Shows the versions and the report of one. @param failure why a version was not made current */
async function versionsPage(site: Site, context: PageContext, failure?: string): Promise<Response> {
  const { versions, current, wrong } = await onDisk(site)
  const { version: asked = current, done } = context.req.query()
  const shown = versions.find(({ version }) => version === asked)
  const main = html`${failure !== undefined && notice(html`<p>The version was not made current: ${failure}</p>`, true)}
${done !== undefined && done === current && notice(html`<p>The version <em>${done}</em> is current. Servers switch to it within 2 seconds.</p>`)}
${wrong !== undefined && notice(html`<p>${wrong}</p>`, true)}
${panel({ id: 'on-disk', title: 'On disk' }, versionsTable(site, versions, current))}
${shown === undefined ? asked !== undefined && asked !== current && html`<p class="first">There is no such version here, or no longer.</p>` : await reportPanel(site, context, shown)}`
  return deskPage(site, context, 'versions', { main, status: failure === undefined ? 200 : 409 })
}

function versionsTable({ data, desk }: Site, versions: readonly Manifest[], current: string | undefined): Html {
  if (versions.length === 0) return html`<p class="first">No version is published here yet.</p>`
  const served = data.manifest?.version
  const isOther = served !== undefined && current !== undefined && served !== current
  const rows = versions.map((manifest) => {
    const { version, asOf, counts, builtAt } = manifest
    const bytes = bytesOf(filesOf(manifest))
    const button = html`<form method="get" action="${currentPath(version)}"><button type="submit" aria-describedby="v-${version}">Make current</button></form>`
    return [
      html`<a id="v-${version}" href="${deskPaths.versions}?version=${version}">${version}</a>`,
      asOf === null ? 'unknown' : day(asOf),
      count(counts.cards),
      count(counts.sets),
      moment(Date.parse(builtAt)),
      `${(bytes / 1e6).toFixed(1)} MB`,
      version === current ? html`<span class="tag">current</span>` : desk!.isDownloading ? '' : button,
    ]
  })
  return html`${table({
    caption: 'Versions on disk',
    isCaptionUnseen: true,
    narrow: 'labelled',
    columns: {
      Version: 'heading',
      'Prices of': 'text',
      Cards: 'figure',
      Sets: 'figure',
      Built: 'text',
      Size: 'figure',
      '': 'text',
    },
    rows,
  })}
${isOther && html`<p class="note">This server serves <code>${served}</code>. It switches within 2 seconds; if it does not, its log says why.</p>`}
${desk!.isDownloading && html`<p class="hint">This server takes its version from <code>INDEX_URL</code>: make another one current on the machine that builds, and push it.</p>`}`
}

const currentPath = (version: string): string => `${deskPaths.versions}/${version}/current`

async function reportPanel(site: Site, context: PageContext, manifest: Manifest): Promise<Html> {
  try {
    const report = await readReport(site.desk!.indexDir, manifest)
    return await changesPanel(site, context, manifest.version, report)
  } catch (error) {
    if (!(error instanceof IndexError)) throw error
    return notice(html`<p>${error.message}</p>`, true)
  }
}

function askPage(site: Site, context: PageContext, { version, asOf, counts, builtAt }: Manifest): Answer {
  const main = html`<div class="panel">
<h1>Make ${version} current?</h1>
<p>It has ${count(counts.cards)} cards with prices of ${asOf === null ? 'an unknown day' : day(asOf)}, and was built on ${moment(Date.parse(builtAt))}.</p>
<p>All servers that use this folder switch to it within 2 seconds. The next build publishes its own version.</p>
<form method="post" action="${currentPath(version)}">
${tokenField(context.var.operator.id)}
<p class="choice"><button type="submit" class="primary">Yes, make current</button><a class="button" href="${deskPaths.versions}">No, go back</a></p>
</form>
</div>`
  return pageOf(site, context, { title: `Make ${version} current`, main, isShort: true })
}
