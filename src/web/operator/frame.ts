/** The frame of the operator's pages: their tabs above the page's own content. */
import { html } from 'hono/html'
import { type Page, pageOf } from '../shared/frame.ts'
import type { PageContext, Site } from '../site.ts'

export const deskPaths = {
  today: '/operator',
  versions: '/operator/versions',
  accounts: '/operator/accounts',
  log: '/operator/log',
} as const
type Tab = keyof typeof deskPaths
const labels: Readonly<Record<Tab, string>> = {
  today: 'Today',
  versions: 'Versions',
  accounts: 'Accounts',
  log: 'Audit log',
}

interface Content extends Pick<Page, 'main' | 'scripts' | 'styles'> {
  /** By default, the tab's name, which is the page's heading. */
  readonly title?: string
  readonly status?: 200 | 400 | 403 | 404 | 409
}

export function deskPage(site: Site, context: PageContext, tab: Tab, content: Content): Response | Promise<Response> {
  const { main, status, title = labels[tab], ...parts } = content
  const all = html`<h1>${title}</h1>
<nav class="tabs" aria-label="Operator">
${Object.entries(deskPaths).map(
  ([name, path]) => html`<a href="${path}"${name === tab && html` aria-current="page"`}>${labels[name as Tab]}</a>\n`,
)}
</nav>
${main}`
  return pageOf(site, context, { ...parts, title: `${title} · Operator`, main: all, hasSearch: true }, status)
}
