/** The frame of an account's three tabs: its name, the tabs, and a note if it is suspended. */
import { html } from 'hono/html'
import type { Account } from '../../store/store-records.ts'
import { type Page, pageOf } from '../shared/frame.ts'
import { moment } from '../shared/page-figures.ts'
import type { Html, PageContext, Site } from '../site.ts'

export const tabPaths = {
  usage: '/dashboard',
  keys: '/dashboard/keys',
  lookUp: '/dashboard/look-up',
  value: '/dashboard/value',
} as const
type Tab = keyof typeof tabPaths
const labels: Readonly<Record<Tab, string>> = { usage: 'Usage', keys: 'Keys', lookUp: 'Look up', value: 'Value a list' }

interface Content extends Pick<Page, 'main' | 'styles' | 'scripts' | 'hasSearch' | 'picturesFrom'> {
  /** By default, the account's name and the tab's. */
  readonly title?: string
  readonly status?: 200 | 400 | 401 | 403 | 413 | 429 | 500 | 503
}

export function tabPage(site: Site, context: PageContext, tab: Tab, content: Content): Response | Promise<Response> {
  const { main, status, ...parts } = content
  const { account } = context.var.session
  const title = content.title ?? (tab === 'usage' ? account.name : `${account.name} · ${labels[tab]}`)
  const all = html`<h1>${account.name}</h1>
<nav class="tabs" aria-label="Account">
${Object.entries(tabPaths).map(
  ([name, path]) => html`<a href="${path}"${name === tab && html` aria-current="page"`}>${labels[name as Tab]}</a>\n`,
)}
</nav>
${suspension(account)}
${main}`
  return pageOf(site, context, { ...parts, title, main: all }, status)
}

function suspension({ suspendedAt, suspendedFor }: Account): Html | '' {
  if (suspendedAt === null) return ''
  return html`<section class="notice bad" role="status" aria-labelledby="suspended">
<h2 id="suspended">This account is suspended</h2>
${suspendedFor && html`<p>${suspendedFor}</p>`}
<p>Requests with its keys have been refused since ${moment(suspendedAt)}. Nothing has been deleted. Ask the operator to resume it.</p>
</section>`
}
