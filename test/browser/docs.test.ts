/** The reference in a browser, and trying a request from it where a proxy puts pages and programs behind one address. */
import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import { describe, it } from 'node:test'
import { freePort } from '../../src/process/free-port.ts'
import { skipWithout } from '../support/programs.ts'
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

describe('The reference in a browser', { skip: skipWithout('chromium') }, async () => {
  const port = await freePort('127.0.0.1', 0)
  const origin = `http://127.0.0.1:${port}`
  const here = new PagesHere(undefined, { WEB_URL: origin })
  const operation = ({ page }: Visitor, name: string) => page.getByRole('region', { name, exact: true })

  it('The reference leads to its operations, and has no form that can’t work', async () => {
    await here.visit(async (visitor) => {
      const { page } = visitor
      await visitor.open('/docs/reference')
      await page.getByRole('link', { name: 'Search cards by name' }).click()
      await operation(visitor, 'Search cards by name').getByRole('table', { name: 'Parameters' }).waitFor()
      await page.getByText('can’t send requests there from this page').waitFor()
      assert.equal(await page.getByText('Try it').filter({ visible: true }).count(), 0)
    })
  })

  it('The reference sends requests with a key typed once and a field for each parameter, also behind one proxy', async () => {
    const server = await proxyBefore(port, () => here.service)
    const { key } = await here.shop()
    await here.visit(
      async (visitor) => {
        await visitor.open('/docs/reference')
        assert.ok(await visitor.page.getByText('can’t send requests there from this page').isHidden())
        await visitor.page.getByLabel('Your key', { exact: true }).fill(key)
        const send = async (name: string, fields: Readonly<Record<string, string>>) => {
          const section = operation(visitor, name)
          await section.getByText('Try it').click()
          for (const [label, value] of Object.entries(fields)) {
            await section.getByLabel(label, { exact: true }).fill(value)
          }
          await section.getByRole('button', { name: 'Send' }).click()
          return section.getByRole('status')
        }
        const found = await send('Search cards by name', { q: 'charizard', number: '4' })
        await found.filter({ hasText: /^200 .*"market": 350\.13/s }).waitFor()
        const card = await send('Get a card with all its prices', { id: 'pokemon-base1-004' })
        await card.filter({ hasText: /^200 .*"number": "004"/s }).waitFor()
        const cards = await send('Get several cards by their ids', { Body: '{"ids":["pokemon-base1-004"]}' })
        await cards.filter({ hasText: /^200 .*"Charizard"/s }).waitFor()
      },
      { baseURL: origin },
    )
    server.close()
  })
})
