/** The guard of all visits: each thing that must not happen fails the visit in which it does. */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { skipWithout } from '../support/programs.ts'
import { until } from '../support/until.ts'
import { launchBrowser, visit } from './browser.ts'

const policy = { 'Content-Security-Policy': "default-src 'self'; script-src 'self' 'unsafe-inline'" }
const another = 'http://127.0.0.2:9'

/** A page's content, and the failure of a visit that opens it. */
const pages: readonly (readonly [what: string, body: string, headers: Record<string, string>, fault: RegExp])[] = [
  [
    'asks another origin',
    `<img src="${another}/picture.png">`,
    {},
    /it asked for http:\/\/127\.0\.0\.2:9\/picture\.png/,
  ],
  ['asks another origin by a script', `<script>fetch('${another}/').catch(() => 0)</script>`, {}, /it asked for http/],
  ['is kept from it by a policy', `<img src="${another}/picture.png">`, policy, /against the policy: img-src http/],
  ['has a style that a policy forbids', '<style>p { color: red }</style>', policy, /against the policy: style-src/],
  ['throws', '<script>throw new Error("oh")</script>', {}, /a script threw oh/],
  ['complains', '<script>console.error("no good")</script>', {}, /console: no good/],
  ['opens a dialog', '<script>alert(1)</script>', {}, /a dialog says 1/],
  ['has a part that is not there', '<img src="/missing.png">', {}, /\/missing\.png is 404/],
]

describe('a visit', { skip: skipWithout('chromium') }, () => {
  let browser: Browser
  let server: Server
  let origin: string
  before(async () => {
    browser = await launchBrowser()
    server = createServer(({ url }, response) => {
      const [, body, headers] = pages[Number(url?.slice(1))] ?? []
      response.writeHead(body === undefined ? 404 : 200, { 'Content-Type': 'text/html', ...headers })
      response.end(`<!doctype html><link rel="icon" href="data:,"><p>${body}</p>`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  })
  after(async () => {
    await browser.close()
    server.close()
  })

  for (const [i, [what, , , fault]] of pages.entries()) {
    it(`fails on a page that ${what}`, async () => {
      const failed = visit(browser, origin, async ({ page, failures }) => {
        await page.goto(`/${i}`)
        await until('the guard has seen it', () => failures.length > 0)
      })
      await assert.rejects(failed, fault)
    })
  }
})
