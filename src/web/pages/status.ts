/** Whether data is served, of which date, and since when. Nothing about accounts. */
import { html } from 'hono/html'
import type { App } from '../app.ts'
import { knowSession } from '../session.ts'
import type { Site } from '../site.ts'
import { pageOf } from './frame.ts'
import { count, day, moment } from './page-figures.ts'
import { listOf } from './page-parts.ts'

export function statusPages(app: App, site: Site): void {
  app.get('/status', async (context) => {
    await knowSession(site, context)
    const main = html`<div class="panel">
<h1>Status</h1>
${state(site)}
</div>`
    return pageOf(site, context, {
      title: 'Status',
      main,
      isShort: true,
      description: 'Whether prices are served, and their date.',
    })
  })
}

function state({ data: { manifest, since } }: Site) {
  if (manifest === undefined || since === undefined) {
    return html`<p class="state bad">No prices are served.</p>
<p>No data has been published yet, so every request for prices gets a 503.</p>`
  }
  const { asOf, counts, builtAt } = manifest
  return html`<p class="state good">Prices are served.</p>
${listOf({
  'Prices of': asOf === null ? 'unknown' : html`${day(asOf)} (UTC)`,
  'Served since': moment(since),
  Published: moment(Date.parse(builtAt)),
  Cards: count(counts.cards),
})}`
}
