/** The first page: what this is, and where to go on. */
import { html } from 'hono/html'
import { games } from '../../games.ts'
import type { App } from '../app.ts'
import { sessionIn } from '../session.ts'
import type { Site } from '../site.ts'
import { day, number } from './figures.ts'
import { pageOf } from './frame.ts'

export function homePages(app: App, site: Site): void {
  app.get('/', (context) => {
    const session = sessionIn(site, context, true)
    if (session !== undefined) context.set('session', session)
    return pageOf(site, context, { title: 'Prices of trading cards', main: main(site, session !== undefined) })
  })
}

const main = (site: Site, isSignedIn: boolean) => html`<h1>Prices of trading cards</h1>
<p class="lead">Search cards, read their prices and how they moved, over one interface for programs.
${listOf(games.map(({ name }) => name))}.</p>
${holdings(site)}
<ul class="ways">
<li><a href="/docs">Reference</a>: every request, every answer, every error.</li>
${
  isSignedIn
    ? html`<li><a href="/dashboard">Dashboard</a>: your keys and what was used.</li>`
    : html`<li><strong>Signing in</strong>: the operator gives out sign-in links. Each is good once and for 15 minutes; ask for
one if you have none, or if yours no longer works.</li>`
}
</ul>`

function holdings({ data: { manifest } }: Site) {
  if (manifest === undefined) return html`<p>There are no cards here yet.</p>`
  const { counts, asOf } = manifest
  return html`<p>${number(counts.cards)} cards in ${number(counts.sets)} sets${
    asOf === null ? '' : html`, prices up to ${day(asOf)}`
  }.</p>`
}

const listOf = (names: readonly string[]) => `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
