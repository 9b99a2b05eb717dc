/**
 * The reference: the description of the interface, drawn by Swagger UI from this listener's own copy. Its icons are `data:`
 * addresses in its style, so the page allows those for images, and nothing else that others don't.
 */
import { html } from 'hono/html'
import { retrySoonSeconds } from '../../limits.ts'
import type { App } from '../app.ts'
import { policyText } from '../policy.ts'
import { knowSession } from '../session.ts'
import type { Site } from '../site.ts'
import { pageOf } from './frame.ts'
import { problemPage } from './problem.ts'

const descriptionPath = '/openapi.json'
const policy = policyText({ imgSrc: ["'self'", 'data:'] })

export function docsPages(app: App, site: Site): void {
  app.get('/docs', async (context) => {
    await knowSession(site, context)
    context.header('Content-Security-Policy', policy)
    const main = html`<h1>Reference</h1>
<p>Made from <a href="${descriptionPath}">the description of this server</a> (OpenAPI 3.1), which programs can read too.
Programs send their requests to <code>${site.api}</code>.</p>
<p data-untried hidden>A browser lets this page send no request there: <a href="/dashboard#start">Start</a> on the dashboard has
a line for curl.</p>
<div id="reference" data-description="${descriptionPath}"></div>
<noscript><p>Drawing the reference takes JavaScript; the description above has all of it.</p></noscript>`
    const parts = { styles: ['reference.css'], scripts: ['reference.js', 'draw-reference.js'] }
    return pageOf(site, context, { title: 'Reference', main, ...parts })
  })
  app.get(descriptionPath, (context) => {
    const description = site.description.contentFor(site.api)
    if (description === undefined) {
      context.header('Retry-After', String(retrySoonSeconds))
      return problemPage(site, context, 503, 'The description is being made: it is here in a moment.')
    }
    return description.send(context, 'no-cache')
  })
}
