/** The first page: what this is, and where to go on. */
import { html } from 'hono/html'
import { games } from '../../games.ts'
import type { App } from '../app.ts'
import { knowSession } from '../session.ts'
import type { Site } from '../site.ts'
import { count, day } from './figures.ts'
import { pageOf } from './frame.ts'
import { curlLine } from './start.ts'

export function homePages(app: App, site: Site): void {
  app.get('/', async (context) => {
    await knowSession(site, context)
    const isSignedIn = context.var.session !== undefined
    return pageOf(site, context, { title: 'Prices of trading cards', main: main(site, isSignedIn) })
  })
}

const main = (site: Site, isSignedIn: boolean) => html`<div class="lead">
<h1>Prices of trading cards</h1>
<p>Search cards, read their prices and how they moved, over one interface for programs.
${listOf(games.map(({ name }) => name))}.</p>
${holdings(site)}
</div>
<ul class="ways">
<li class="panel"><h2>Reference</h2><p>Every request, every answer, every error.</p><p><a class="button" href="/docs">Open the reference</a></p></li>
${
  isSignedIn
    ? html`<li class="panel"><h2>Dashboard</h2><p>Your keys and what was used.</p><p><a class="button primary" href="/dashboard">To the dashboard</a></p></li>`
    : html`<li class="panel"><h2>Signing in</h2><p>It takes no password: the operator gives out sign-in links. Each is good once and for 15 minutes; ask for
one if you have none, or if yours no longer works.</p></li>`
}
</ul>
<section class="panel" aria-labelledby="first-request">
<h2 id="first-request">A first request</h2>
<pre tabindex="0"><code>${curlLine(site.api)}</code></pre>
</section>`

function holdings({ data: { manifest } }: Site) {
  if (manifest === undefined) return html`<p class="first">There are no cards here yet.</p>`
  const { counts, asOf } = manifest
  return html`<p class="holdings"><strong>${count(counts.cards)}</strong> cards in <strong>${count(counts.sets)}</strong> sets${
    asOf === null ? '' : html`, prices up to <strong>${day(asOf)}</strong>`
  }.</p>`
}

const listOf = (names: readonly string[]) => `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
