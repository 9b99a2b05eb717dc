/** Sends a form to the pages in this process, without a connection. @param isGone the sender has disconnected since */
import { EventEmitter } from 'node:events'
import type { Hono } from 'hono'
import type { PageEnv } from '../../src/web/site.ts'

export async function posted(
  app: Hono<PageEnv>,
  path: string,
  body: string | FormData,
  headers: Readonly<Record<string, string>> = {},
  isGone = false,
): Promise<Response> {
  const request = new Request('http://localhost', { method: 'POST', body })
  const bytes = await request.arrayBuffer()
  const all = new Headers(request.headers)
  for (const [name, value] of Object.entries({ ...headers, 'Content-Length': `${bytes.byteLength}` }))
    all.set(name, value)
  const env = { outgoing: Object.assign(new EventEmitter(), { closed: isGone }) } as unknown as PageEnv['Bindings']
  return app.request(path, { method: 'POST', headers: all, body: bytes }, env)
}
