/** A page that says what is wrong, and where to go on. */
import { html } from 'hono/html'
import type { Html, PageContext, Site } from '../site.ts'
import { pageOf } from './frame.ts'

const titles = {
  400: 'Invalid request',
  403: 'Form rejected',
  404: 'Not found',
  409: 'Nothing was changed',
  410: 'Link expired',
  411: 'Form rejected',
  413: 'Form too large',
  415: 'Form rejected',
  429: 'Too many look-ups',
  500: 'Something went wrong',
  503: 'Try again soon',
} as const

export function problemPage(
  site: Site,
  context: PageContext,
  status: keyof typeof titles,
  message: string | Html,
): Response | Promise<Response> {
  const title = titles[status]
  const [way, where] =
    context.var.session === undefined ? ['/', 'Back to home'] : ['/dashboard', 'Back to the dashboard']
  const main = html`<div class="panel">
<p class="status">${status}</p>
<h1>${title}</h1>
<p>${message}</p>
<p><a class="button" href="${way}">${where}</a></p>
</div>`
  return pageOf(site, context, { title, main, isShort: true }, status)
}
