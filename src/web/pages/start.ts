/** The dashboard's section "Start": a first request, to be copied. */
import { html } from 'hono/html'
import type { Site } from '../site.ts'

const example = '/v1/search?q=charizard&limit=3'

export const startSection = ({ api }: Site) => html`<section aria-labelledby="start">
<h2 id="start">Start</h2>
<p>Programs send their requests to <code>${api}</code>, each with a key in the header <code>X-API-Key</code>. Put one of your
keys in the place of <code>YOUR_KEY</code>.</p>
<h3>With curl</h3>
<pre tabindex="0"><code>curl -H 'X-API-Key: YOUR_KEY' '${api}${example}'</code></pre>
<h3>With Node.js</h3>
<pre tabindex="0"><code>${program(api)}</code></pre>
<p><a href="/docs">Reference</a>: all requests, answers and errors.</p>
</section>`

const program = (api: string): string => `const reply = await fetch('${api}${example}', {
  headers: { 'X-API-Key': process.env.CARD_PRICES_KEY },
})
if (!reply.ok) throw new Error(\`\${reply.status} \${await reply.text()}\`)
const { data } = await reply.json()
for (const { name, set, prices } of data) console.log(name, set, prices.market ?? 'unknown')`
