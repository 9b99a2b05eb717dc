/**
 * The guide, `/llms.txt`, and the reference: the description of the interface in short, which Swagger UI then draws in full from this
 * listener's own copy. Its icons are `data:` addresses in its style, so that page allows those for images, and nothing else that
 * others don't.
 */
import { html, raw } from 'hono/html'
import { titleOf } from '../../indexes/about-file.ts'
import { retrySoonSeconds } from '../../limits.ts'
import type { App } from '../app.ts'
import type { Outline } from '../description.ts'
import { type Guide, guideFor } from '../guide.ts'
import { GuideExamples } from '../guide-examples.ts'
import { llmsText } from '../llms.ts'
import { knowSession } from '../session.ts'
import type { Site } from '../site.ts'
import { contentPolicy, type Html, pageOf } from './frame.ts'
import { problemPage } from './problem.ts'

const descriptionPath = '/openapi.json'

export function docsPages(app: App, site: Site): void {
  let guide: Guide | undefined
  let version: string | undefined

  app.get('/docs', async (context) => {
    await knowSession(site, context)
    const data = await site.data.open()
    if (guide === undefined || data?.version !== version) {
      guide = guideFor({ api: site.api, port: site.apiPort, examples: data && GuideExamples.of(data) })
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
    return pageOf(site, context, { title: 'Guide', main, scripts: ['tabs.js', 'copy.js'] })
  })

  app.get('/docs/reference', async (context) => {
    await knowSession(site, context)
    context.header('Content-Security-Policy', contentPolicy('data:'))
    const main = html`<h1>Reference</h1>
<p>Every request, response and error, drawn from <a href="${descriptionPath}">this server’s description</a> (OpenAPI 3.1). The
<a href="/docs">guide</a> explains how to use them. Send requests to <code>${site.api}</code>.</p>
<p data-untried hidden>Your browser can’t send requests there from this page. <a href="/dashboard#start">Your dashboard</a> has a curl line to copy.</p>
<div id="reference" data-description="${descriptionPath}" data-script="${site.assets.path('reference.js')}">
${outlined(site.description.outline())}
</div>
<noscript><p>This page needs JavaScript to show parameters and responses. The description above has them all.</p></noscript>`
    const parts = { styles: ['reference.css'], scripts: ['draw-reference.js'] }
    return pageOf(site, context, { title: 'Reference', main, ...parts })
  })

  app.get('/llms.txt', (context) => {
    context.header('Cache-Control', 'no-cache')
    return context.text(llmsText(site.api, titleOf(site.data.about)))
  })

  app.get(descriptionPath, (context) => {
    const description = site.description.contentFor(site.api)
    if (description === undefined) {
      context.header('Retry-After', String(retrySoonSeconds))
      return problemPage(site, context, 503, 'The description is being made. Reload this page in a moment.')
    }
    return description.send(context, 'no-cache')
  })
}

/** The operations as HTML, until the script has drawn them, and without scripts. */
const outlined = (outline: Outline | undefined): Html =>
  outline === undefined
    ? html`<p>The description is being made.</p>`
    : html`<div class="outline">
<h2>${outline.title} <small>${outline.version}</small></h2>
${outline.chapters.map(
  ({ name, description, operations }) => html`<h3>${name}</h3>
<p>${description}</p>
<ul>
${operations.map(
  ({
    method,
    path,
    summary,
  }) => html`<li><b class="${method}">${method}</b> <code>${path}</code> <span>${summary}</span></li>
`,
)}
</ul>
`,
)}
</div>`
