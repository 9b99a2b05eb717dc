/** A page that says what is wrong, and where to go on. */
import { html } from 'hono/html'
import type { PageContext, Site } from '../site.ts'
import { type Html, pageOf } from './frame.ts'

const titles = {
  400: 'That can’t be done',
  403: 'Not from here',
  404: 'Not found',
  409: 'That has changed',
  410: 'No longer good',
  411: 'That can’t be taken',
  413: 'Too large',
  415: 'That can’t be taken',
  429: 'A little slower, please',
  500: 'Something failed',
  503: 'Not yet',
} as const

export function problemPage(
  site: Site,
  context: PageContext,
  status: keyof typeof titles,
  message: string | Html,
): Response | Promise<Response> {
  const title = titles[status]
  const [way, where] =
    context.var.session === undefined ? ['/', 'To the first page'] : ['/dashboard', 'To the dashboard']
  const main = html`<div class="panel">
<p class="status">${status}</p>
<h1>${title}</h1>
<p>${message}</p>
<p><a class="button" href="${way}">${where}</a></p>
</div>`
  return pageOf(site, context, { title, main, isShort: true }, status)
}
