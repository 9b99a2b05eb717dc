/** The reference in a browser, and trying a request from it where a proxy puts pages and programs behind one address. */
import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import { describe, it } from 'node:test'
import { freePort } from '../../src/process/port.ts'
import { skipWithout } from '../support/programs.ts'
import { barriersOn } from './axe.ts'
import type { Visitor } from './browser.ts'
import { PagesHere } from './pages-here.ts'

/** Hands what programs ask for to PORT, all else to the pages. It listens on that port. */
async function proxyBefore(port: number, addresses: () => { readonly pages: string; readonly address: string }) {
  const server = createServer((asked, answer) => {
    const { pages, address } = addresses()
    const isForPrograms = /^\/(v1\/|openapi\.json|healthz)/.test(asked.url!)
    const { method, headers } = asked
    const on = request(new URL(asked.url!, isForPrograms ? address : pages), { method: method!, headers }, (reply) => {
      answer.writeHead(reply.statusCode!, reply.headers)
      reply.pipe(answer)
    })
    asked.pipe(on)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return server
}

describe('the reference', { skip: skipWithout('chromium') }, async () => {
  const port = await freePort('127.0.0.1', 0)
  const origin = `http://127.0.0.1:${port}`
  const here = new PagesHere(undefined, { WEB_URL: origin })
  const operation = ({ page }: Visitor) => page.getByRole('button', { name: /\/v1\/search/ }).first()

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`is drawn from the description, ${colorScheme}, and has no button that would not work`, async () => {
      await here.visit(
        async (visitor) => {
          const { page } = visitor
          await visitor.open('/docs/reference')
          await visitor.heading('Reference').waitFor()
          await page.getByRole('heading', { name: /^Card price lookup/ }).waitFor()
          await operation(visitor).click()
          await page.getByRole('heading', { name: 'Parameters' }).waitFor()
          assert.equal(await page.getByRole('button', { name: /Try it out|Authorize|authorization/ }).count(), 0)
          await page.getByText('can’t send requests there from this page').waitFor()
          assert.deepEqual(await barriersOn(page), [])
        },
        { colorScheme },
      )
    })
  }

  it('is no wider than a narrow window', async () => {
    await here.visit(async ({ page }) => {
      await page.setViewportSize({ width: 320, height: 800 })
      await page.goto('/docs/reference')
      await page
        .getByRole('button', { name: /\/v1\/search/ })
        .first()
        .click()
      await page.getByRole('heading', { name: 'Parameters' }).waitFor()
      assert.ok(await page.evaluate('document.scrollingElement.scrollWidth <= innerWidth'))
    })
  })

  it('sends a request with the reader’s key, and shows its answer, behind a proxy that puts both behind one address', async () => {
    const server = await proxyBefore(port, () => here.service)
    const { key } = await here.shop()
    await here.visit(
      async (visitor) => {
        const { page } = visitor
        await visitor.open('/docs/reference')
        await operation(visitor).click()
        await page.getByRole('button', { name: 'Authorize' }).click()
        await page.getByLabel('Value:').first().fill(key)
        await page.getByRole('button', { name: 'Apply credentials' }).first().click()
        await page.getByRole('button', { name: 'Close' }).first().click()
        await page.getByRole('button', { name: 'Try it out' }).click()
        await page.getByPlaceholder('q', { exact: true }).fill('charizard')
        const answered = page.waitForResponse((response) =>
          response.url().startsWith(`${origin}/v1/search?q=charizard`),
        )
        await page.getByRole('button', { name: 'Execute' }).click()
        assert.equal((await answered).status(), 200)
        await page.locator('.live-responses-table').getByText('350.13').waitFor()
        assert.ok(await page.getByText('can’t send requests there from this page').isHidden())
      },
      { baseURL: origin },
    )
    server.close()
  })
})
