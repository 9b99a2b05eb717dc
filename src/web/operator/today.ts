/** The desk's first page: is the data of today, what did the last update do, who asks, and what needs a hand. */
import { html } from 'hono/html'
import { day, moment } from '../pages/page-figures.ts'
import { listOf, panel } from '../pages/page-parts.ts'
import type { Html, PageContext, Site } from '../site.ts'
import { deskPage } from './frame.ts'

export function todayPage(site: Site, context: PageContext): Response | Promise<Response> {
  return deskPage(site, context, 'today', { main: html`${dataPanel(site)}` })
}

function dataPanel({ data: { manifest, since } }: Site): Html {
  if (manifest === undefined) return panel({ id: 'data', title: 'Data' }, html`<p>No version is served yet.</p>`)
  const { asOf, version, builtAt, counts } = manifest
  return panel(
    { id: 'data', title: 'Data' },
    listOf({
      'Prices of': asOf === null ? 'no known day' : day(asOf),
      Version: html`<code>${version}</code>`,
      Built: moment(Date.parse(builtAt)),
      'Served since': since !== undefined && moment(since),
      Cards: counts.cards.toLocaleString('en'),
    }),
  )
}
