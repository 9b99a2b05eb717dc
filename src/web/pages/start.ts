/** The dashboard's section "Start": a first request, to be copied. */
import { html } from 'hono/html'
import type { Site } from '../site.ts'

const example = '/v1/search?q=charizard&limit=3'

export const startSection = ({ api }: Site) => html`<section class="panel" aria-labelledby="start">
<h2 id="start">Start</h2>
<p>Programs send their requests to <code>${api}</code>, each with a key in the header <code>X-API-Key</code>. Put one of your
keys in the place of <code>YOUR_KEY</code>.</p>
${sample('curl', 'With curl', curlLine(api))}
${sample('node', 'With Node.js', program(api))}
<p><a href="/docs">Reference</a>: all requests, answers and errors.</p>
</section>`

const sample = (id: string, title: string, text: string) => html`<div class="head">
<h3>${title}</h3>
<p class="choice"><span class="copied" id="${id}-copied" aria-live="polite"></span>
<button type="button" data-copy="${id}" hidden>Copy<span class="unseen"> the lines ${title.replace('With', 'for')}</span></button></p>
</div>
<pre tabindex="0"><code id="${id}">${text}</code></pre>`

export const curlLine = (api: string): string => `curl -H 'X-API-Key: YOUR_KEY' '${api}${example}'`

const program = (api: string): string => `const reply = await fetch('${api}${example}', {
  headers: { 'X-API-Key': process.env.CARD_PRICES_KEY },
})
if (!reply.ok) throw new Error(\`\${reply.status} \${await reply.text()}\`)
const { data } = await reply.json()
for (const { name, set, prices } of data) console.log(name, set, prices.market ?? 'unknown')`
