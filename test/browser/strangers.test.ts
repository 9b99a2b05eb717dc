/** People without an account in a browser: they look cards up, with suggestions or without scripts, and see pictures of hosts that are named. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fixtureSnapshot } from '../support/fixture.ts'
import { skipWithout } from '../support/programs.ts'
import { PagesHere } from './pages-here.ts'

const charizard = '/cards/pokemon-base1-004'
const picture = 'https://images.example/charizard.webp'
const image = '<svg xmlns="http://www.w3.org/2000/svg" width="5" height="7"/>'

describe('The search of people without an account', { skip: skipWithout('chromium') }, () => {
  const snapshots = fixtureSnapshot()
  const about = {
    currency: 'EUR',
    contact: 'https://shop.example/ask',
    images: ['https://images.example'],
    accent: '#7a1f5c',
  }
  writeFileSync(join(snapshots, 'about.json'), JSON.stringify(about))
  const here = new PagesHere(snapshots)

  it('A visitor chooses a name by arrow keys and Enter, closes the list by Escape, and reaches a card', async () => {
    await here.visit(async (visitor) => {
      const { page } = visitor
      await page.route(picture, (route) => route.fulfill({ contentType: 'image/svg+xml', body: image }))
      await visitor.open('/status')
      const field = page.getByLabel('Card name', { exact: true })
      const options = page.getByRole('option')
      // Letter by letter, names for the first ones might come again after Escape.
      await field.fill('char')
      await options.first().waitFor()
      assert.deepEqual(await options.allInnerTexts(), ['Charizard', 'Charizard Hunter'])
      await page.keyboard.press('Escape')
      await options.first().waitFor({ state: 'hidden' })
      assert.equal(await field.inputValue(), 'char')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await page.getByRole('option', { name: 'Charizard Hunter', selected: true }).waitFor()
      await page.keyboard.press('ArrowUp')
      await page.getByRole('option', { name: 'Charizard', selected: true, exact: true }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => url.pathname === '/look-up' && url.searchParams.get('q') === 'Charizard')
      await page.getByRole('link', { name: 'Charizard', exact: true }).click()
      await visitor.heading('Charizard').waitFor()
      assert.equal(new URL(page.url()).pathname, charizard)
      assert.match(await page.title(), /^Charizard · Base Set · 004 · /)
      await page.getByText('come with the Trader plan and above').waitFor()
      // The requests that leave for another host are those of the picture: a thumbnail, and large.
      assert.deepEqual(new Set(visitor.failures), new Set([`it asked for ${picture}`]))
      visitor.failures.length = 0
    })
  })

  it('A visitor without scripts searches with a plain form', async () => {
    await here.visit(
      async (visitor) => {
        await visitor.page.route(picture, (route) => route.fulfill({ contentType: 'image/svg+xml', body: image }))
        await visitor.open('/')
        await visitor.page.getByRole('link', { name: 'Ask for an account' }).waitFor()
        await visitor.lookUp('forest')
        assert.equal((await visitor.rows('Cards found')).length, 1 + 20)
        await visitor.page.getByRole('link', { name: 'Next page' }).click()
        await visitor.page.getByText('21 to 25 shown').waitFor()
        visitor.failures.length = 0
      },
      { javaScriptEnabled: false },
    )
  })
})
