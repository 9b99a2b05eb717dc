/** The section "Start": a first request, to be copied. */
import { html } from 'hono/html'
import type { Html, Site } from '../site.ts'
import { panel } from './parts.ts'

const example = '/v1/search?q=charizard&limit=3'

export const startSection = ({ api }: Site) =>
  panel(
    { id: 'start', title: 'Start' },
    html`<p>Send requests to <code>${api}</code>, with a key in the header <code>X-API-Key</code>. Replace <code>YOUR_KEY</code> with one of
<a href="/dashboard/keys">your keys</a>.</p>
${sample('curl', 'With curl', curlLine(api))}
${sample('node', 'With Node.js', program(api))}
<p>The <a href="/docs">guide</a> shows what else you can do. The <a href="/docs/reference">reference</a> lists every request, response
and error.</p>`,
  )

const sample = (id: string, title: string, text: string) => html`<div class="head">
<h3>${title}</h3>
<p class="choice">${copyButton(id, html`Copy<span class="unseen"> the code for ${title.replace('With ', '')}</span>`)}</p>
</div>
<pre tabindex="0"><code id="${id}">${text}</code></pre>`

/** A script shows it: without one it would do nothing. @param id of the element whose text it copies */
export const copyButton = (id: string, label: Html | string, isPrimary = false): Html =>
  html`<button type="button"${isPrimary ? html` class="primary"` : ''} data-copy="${id}" hidden>${label}</button>
<span class="copied" id="${id}-copied" aria-live="polite"></span>`

export const curlLine = (api: string, key = 'YOUR_KEY'): string => `curl -H 'X-API-Key: ${key}' '${api}${example}'`

const program = (api: string): string => `const reply = await fetch('${api}${example}', {
  headers: { 'X-API-Key': process.env.CARD_PRICES_KEY },
})
if (!reply.ok) throw new Error(\`\${reply.status} \${await reply.text()}\`)
const { data } = await reply.json()
for (const { name, set, prices } of data) console.log(name, set, prices.market ?? 'unknown')`
