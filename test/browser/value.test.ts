/** The page "Value a list" in a browser: with and without scripts, and by keys; and what the browser keeps of a list. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { skipWithout } from '../support/programs.ts'
import { snapshotOf } from '../support/snapshot.ts'
import type { Visitor } from './browser.ts'
import { PagesHere } from './pages-here.ts'

const odd = [
  { id: 'mtg-lea-x1', game: 'mtg', name: '=1+1', setCode: 'lea', number: '-5', prices: { market: 1.15 } },
  { id: 'mtg-lea-x2', game: 'mtg', name: 'Onyx', setCode: 'lea', number: '7', prices: { market: 2.1 } },
  { id: 'mtg-base1-x3', game: 'mtg', name: 'Onyx', setCode: 'base1', number: '8' },
]
const list = `Deck\n2 Charizard 4/102 Base Set\n3 Onyx\n1 =1+1 -5\n1 ${'Nobody '.repeat(20)}\n`

describe('The value of a list in a browser', { skip: skipWithout('chromium') }, () => {
  const snapshots = fixtureSnapshot()
  snapshotOf({ 'cards/odd.ndjson': odd, 'about.json': '{"currency":"EUR"}' }, snapshots)
  const here = new PagesHere(snapshots)

  const total = ({ page }: Visitor) => page.getByRole('status', { name: 'Total' })
  const count = ({ page }: Visitor, name: string) => page.locator('.counts div', { hasText: name }).locator('dd')

  async function value(visitor: Visitor, text = list): Promise<void> {
    await visitor.page.getByLabel('Your list', { exact: true }).fill(text)
    await visitor.press('Value it')
    await visitor.heading('Total').waitFor()
  }

  it('The total of a list follows each choice of a card, and the CSV has the lines as they are shown', async () => {
    await here.visitShop(async (visitor) => {
      const { page } = visitor
      await visitor.tab('Value a list')
      await value(visitor)
      assert.equal(await total(visitor).innerText(), '700.26 EUR')
      assert.equal(await visitor.button('Update the total').isVisible(), false)
      const choice = page.getByRole('combobox', { name: '3 Onyx', exact: true })
      for (const [label, sum, priced, unpriced, ambiguous] of [
        ['Onyx · Limited Edition Alpha · 7 · 2.10', '706.56 EUR', '2', '0', '0'],
        ['Onyx · Base Set · 8 · unknown', '700.26 EUR', '1', '1', '0'],
        ['Choose a card', '700.26 EUR', '1', '0', '1'],
        ['Onyx · Limited Edition Alpha · 7 · 2.10', '706.56 EUR', '2', '0', '0'],
      ] as const) {
        await choice.selectOption({ label })
        assert.equal(await total(visitor).innerText(), sum)
        const counts = await Promise.all(
          ['Priced', 'Price unknown', 'Ambiguous'].map((name) => count(visitor, name).innerText()),
        )
        assert.deepEqual(counts, [priced, unpriced, ambiguous], label)
      }
      assert.deepEqual((await visitor.rows('Ambiguous lines'))[1]?.slice(-2), ['2.10', '6.30'])
      const [download] = await Promise.all([page.waitForEvent('download'), visitor.press('Download CSV')])
      const file = readFileSync(await download.path(), 'utf8')
      const lines = file.split('\r\n')
      assert.deepEqual(lines[2]?.split(',').slice(0, 3), ['3', '3', 'Onyx'])
      assert.equal(lines.length, 1 + 4 + 1)
      for (const cell of file.split(/[,\r\n]+/)) assert.doesNotMatch(cell, /^"?[=+@]/)
      assert.match(lines[3]!, /1 =1\+1 -5$/)
    })
  })

  it('A list stays in its field while the server can’t be reached', async () => {
    await here.visitShop(async (visitor) => {
      const { page } = visitor
      await visitor.tab('Value a list')
      await page.context().setOffline(true)
      await page.getByLabel('Your list', { exact: true }).fill(list)
      await visitor.press('Value it')
      await page.getByRole('alert').waitFor()
      assert.equal(await page.getByLabel('Your list', { exact: true }).inputValue(), list)
      assert.deepEqual(visitor.failures.splice(0), ['console: Failed to load resource: net::ERR_INTERNET_DISCONNECTED'])
      await page.context().setOffline(false)
      await visitor.press('Value it')
      await total(visitor).filter({ hasText: '700.26 EUR' }).waitFor()
    })
  })

  it('A list in a file is valued without scripts, and a second form takes the choices of cards', async () => {
    await here.visitShop(
      async (visitor) => {
        const { page } = visitor
        const path = join(temporaryFolder(), 'deck.csv')
        writeFileSync(path, `name,count,set\nOnyx,3,\nCharizard,2,Base Set\n`)
        await visitor.tab('Value a list')
        await page.getByLabel('or a file', { exact: true }).setInputFiles(path)
        await page.getByLabel('Game').selectOption('mtg')
        await visitor.press('Value it')
        await visitor.heading('Total').waitFor()
        assert.equal(await total(visitor).innerText(), '0.00 EUR')
        await page.getByRole('combobox', { name: 'Onyx,3,', exact: true }).selectOption('mtg-lea-x2')
        await visitor.press('Update the total')
        await total(visitor).filter({ hasText: '6.30 EUR' }).waitFor()
        assert.equal(await page.getByRole('combobox', { name: 'Onyx,3,' }).inputValue(), 'mtg-lea-x2')
        const [download] = await Promise.all([page.waitForEvent('download'), visitor.press('Download CSV')])
        assert.match(
          readFileSync(await download.path(), 'utf8'),
          /\r\n2,3,Onyx,.*,2\.10,6\.30,EUR,ambiguous,mtg-lea-x2,/,
        )
      },
      { javaScriptEnabled: false },
    )
  })

  it('A stranger values a list by keyboard alone', async () => {
    await here.visit(async (visitor) => {
      const { page } = visitor
      await visitor.open('/')
      await page.getByRole('link', { name: 'value a whole list' }).press('Enter')
      await visitor.heading('Value a list').waitFor()
      await page.getByLabel('Your list', { exact: true }).focus()
      await page.keyboard.type('3 Onyx')
      for (const _ of ['file', 'game', 'button']) await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await visitor.heading('Total').waitFor()
      const choice = page.getByRole('combobox', { name: '3 Onyx', exact: true })
      await choice.focus()
      await page.keyboard.press('ArrowDown')
      await page.waitForFunction('document.activeElement.value !== ""')
      await page.keyboard.press('End')
      await total(visitor).filter({ hasText: '6.30 EUR' }).waitFor()
    })
  })

  it('The total includes a card that was chosen before the page’s script loaded', async () => {
    await here.visit(async (visitor) => {
      const { page } = visitor
      const held: (() => void)[] = []
      await page.route(/\bvalue\.js$/, (route) => void held.push(() => void route.continue()))
      await page.goto(`${here.service.pages}/value`, { waitUntil: 'commit' })
      await page.getByLabel('Your list', { exact: true }).fill(list)
      await page.getByRole('button', { name: 'Value it' }).click({ noWaitAfter: true })
      await visitor.heading('Total').waitFor()
      await page.getByRole('combobox', { name: '3 Onyx', exact: true }).selectOption('mtg-lea-x2')
      assert.equal(await total(visitor).innerText(), '700.26 EUR')
      for (const release of held) release()
      await total(visitor).filter({ hasText: '706.56 EUR' }).waitFor()
    })
  })

  it('A valued list leaves nothing in the browser’s storage', async () => {
    await here.visitShop(async (visitor) => {
      await visitor.tab('Value a list')
      // A browser keeps the form of a page that it went to, and so the list, in its session.
      visitor.page.on('framenavigated', () => visitor.failures.push('the browser went to another page'))
      await value(visitor)
      assert.equal(await visitor.page.evaluate('document.activeElement.textContent'), 'Total')
      const kept = await visitor.page.evaluate(
        `(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, await indexedDB.databases(), await caches.keys()]))()`,
      )
      assert.equal(kept, '[{},{},[],[]]')
      visitor.page.removeAllListeners('framenavigated')
      const { cookies } = await visitor.context.storageState()
      const found = cookies.map(({ name }) => name)
      assert.deepEqual(found, ['cpl_session'])
      await visitor.open('/dashboard/value')
      assert.equal(await visitor.page.getByLabel('Your list', { exact: true }).inputValue(), '')
    })
  })
  it('A printed value shows all lines and choices in dark text, without buttons', async () => {
    await here.visitShop(
      async (visitor) => {
        const { page } = visitor
        await visitor.tab('Value a list')
        await value(visitor, `1 Onyx\n${'1 Charizard 4/102 Base Set\n'.repeat(600)}`)
        const rows = page.getByRole('table', { name: 'Cards of the list' }).locator('tbody tr:visible')
        assert.equal(await rows.count(), 500)
        await page.emulateMedia({ media: 'print' })
        assert.equal(await rows.count(), 600)
        assert.equal(await total(visitor).isVisible(), true)
        assert.equal(await page.getByRole('combobox', { name: '1 Onyx', exact: true }).isVisible(), true)
        assert.equal(await page.locator('textarea:visible, input:visible, :not(thead) > tr button:visible').count(), 0)
        for (const name of ['Value it', 'Keep on this device', 'Download CSV', 'Cheapest of each', 'Sign out']) {
          assert.equal(await visitor.button(name).isVisible(), false, name)
        }
        const colour = await page.evaluate('getComputedStyle(document.body).color')
        assert.equal(colour, 'rgb(23, 27, 34)')
      },
      { colorScheme: 'dark' },
    )
  })
})
