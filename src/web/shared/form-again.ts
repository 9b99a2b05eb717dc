/**
 * The response to a form whose session has ended. It shows what was typed, and how to sign in again. Nothing was
 * changed. A form of an earlier session is also shown again, with the token of the current session.
 */
import { html } from 'hono/html'
import type { Html, PageContext, Site } from '../site.ts'
import { contactLink, pageOf } from './frame.ts'
import { tokenField } from './session.ts'

/** The labels of the fields that are shown. All other fields are sent again as hidden fields. */
const labels: ReadonlyMap<string, string> = new Map([
  ['name', 'Name'],
  ['expires', 'Expires'],
  ['reason', 'Reason, which its people see'],
])

/** @param fields the fields as they were sent @param session undefined if the session has ended */
export function formAgain(
  site: Site,
  context: PageContext,
  fields: URLSearchParams,
  session: { readonly id: string } | undefined,
): Response | Promise<Response> {
  const title = session === undefined ? 'Your session has ended' : 'Send this again'
  const typed = [...fields].filter(([name]) => name !== 'form')
  const main = html`<div class="panel">
<h1>${title}</h1>
${session === undefined ? ended(site, context) : html`<p>This form is of an earlier session, so nothing was changed. Check it, and send it again.</p>`}
<form method="post" action="${context.req.path}">
${tokenField(session?.id)}
${typed.map(([name, value]) => field(name, value))}
<p><button type="submit" class="primary">Send again</button></p>
</form>
</div>`
  return pageOf(site, context, { title, main, isShort: true }, session === undefined ? 401 : 403)
}

function ended({ data, desk }: Site, { req }: PageContext): Html {
  const isOfOperator = desk !== undefined && req.path.startsWith('/operator/')
  const how = isOfOperator
    ? html`make a new link by <code>card-prices accounts sign-in --operator</code>`
    : html`ask ${contactLink(data.about) ?? 'the operator'} for a new link`
  return html`<p role="alert">Nothing was changed. To sign in again, ${how} and open it in another tab. Then send this again: what
you typed is still here.</p>`
}

function field(name: string, value: string): Html {
  const label = labels.get(name)
  if (label === undefined) return html`<input type="hidden" name="${name}" value="${value}">\n`
  return html`<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" autocomplete="off" value="${value}">
</div>
`
}
