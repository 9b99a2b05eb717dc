/** Serves the guide, `/llms.txt`, the reference, and the OpenAPI description from which the reference is made. */
import { html, raw } from 'hono/html'
import { titleOf } from '../../indexes/about-file.ts'
import { retrySoonSeconds } from '../../limits.ts'
import { pageOf } from '../shared/frame.ts'
import { problemPage } from '../shared/problem.ts'
import { knowSession } from '../shared/session.ts'
import { compressed } from '../shared/shared-content.ts'
import type { App, Html, Site } from '../site.ts'
import type { Described } from './description.ts'
import { type Guide, guideFor } from './guide.ts'
import { guideExamplesOf } from './guide-examples.ts'
import { llmsText } from './llms.ts'
import { referenceOf } from './reference-page.ts'

export function docsPages(app: App, site: Site): void {
  let guide: Guide | undefined
  let version: string | undefined
  let reference: Html | undefined
  let described: Described | undefined

  app.get('/docs', async (context) => {
    await knowSession(site, context)
    const data = await site.data.open()
    if (guide === undefined || data?.version !== version) {
      guide = guideFor({ api: site.api, port: site.apiPort, examples: data && guideExamplesOf(data) })
      version = data?.version
    }
    const main = html`<div class="guide">
<nav aria-label="Guide">
${raw(guide.contents)}
<p><a href="/docs/reference">Reference</a></p>
</nav>
<article>
${raw(guide.text)}
</article>
</div>`
    return compressed(context, await pageOf(site, context, { title: 'Guide', main, scripts: ['tabs.js', 'copy.js'] }))
  })

  app.get('/docs/reference', async (context) => {
    await knowSession(site, context)
    const { document } = site.description
    if (document !== described) {
      reference = document && referenceOf(document, site.api)
      described = document
    }
    const main =
      reference ?? html`<h1>Reference</h1>\n<p>The description is being made. Reload this page in a moment.</p>`
    return compressed(context, await pageOf(site, context, { title: 'Reference', main, scripts: ['try.js'] }))
  })

  app.get('/llms.txt', (context) => {
    context.header('Cache-Control', 'no-cache')
    return context.text(
      llmsText(
        site.api,
        titleOf(site.data.about),
        site.data.listedGames.map(({ name }) => name),
      ),
    )
  })

  app.get('/openapi.json', (context) => {
    const description = site.description.contentFor(site.api)
    if (description === undefined) {
      context.header('Retry-After', String(retrySoonSeconds))
      return problemPage(site, context, 503, 'The description is being made. Reload this page in a moment.')
    }
    return description.send(context, 'no-cache')
  })
}
