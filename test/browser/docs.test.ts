/** The reference in a browser, and trying a request from it where a proxy puts pages and programs behind one address. */
import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { skipWithout } from '../support/programs.ts'
import type { Visitor } from './browser.ts'
import { PagesHere } from './pages-here.ts'

/** Passes what programs ask for on to PORT, all else to the pages. */
async function proxyBefore(addresses: () => { readonly pages: string; readonly address: string }) {
  const server = createServer((asked, answer) => {
    const { pages, address } = addresses()
    const isForPrograms = /^\/(v1\/|openapi\.json|healthz)/.test(asked.url!)
    const { method, headers } = asked
    const options = { method: method!, headers, agent: false }
    const on = request(new URL(asked.url!, isForPrograms ? address : pages), options, (reply) => {
      answer.writeHead(reply.statusCode!, reply.headers)
      reply.pipe(answer)
    })
    on.on('error', () => answer.destroy())
    asked.pipe(on)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

describe('The reference in a browser', { skip: skipWithout('chromium') }, async () => {
  const server = await proxyBefore(() => here.service)
  after(() => server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const here: PagesHere = new PagesHere(undefined, { WEB_URL: origin })
  const operation = ({ page }: Visitor, name: string) => page.getByRole('region', { name, exact: true })

  it('The API reference links to its operations, and hides “Try it” if the page can’t send requests', async () => {
    await here.visit(async (visitor) => {
      const { page } = visitor
      await visitor.open('/docs/reference')
      await page.getByRole('link', { name: 'Search cards by name' }).click()
      await operation(visitor, 'Search cards by name').getByRole('table', { name: 'Parameters' }).waitFor()
      await page.getByText('can’t send requests there from this page').waitFor()
      assert.equal(await page.getByText('Try it').filter({ visible: true }).count(), 0)
    })
  })

  it('The API reference behind a proxy sends requests with a key typed once and a field for each parameter', async () => {
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
  })
})
