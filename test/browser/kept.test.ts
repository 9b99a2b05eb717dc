/** What a collector comes back to, in a browser: a list that the browser keeps, our own CSV, and the lines of a result. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { skipWithout } from '../support/programs.ts'
import { snapshotOf } from '../support/snapshot.ts'
import type { Visitor } from './browser.ts'
import { isForEverybody } from './for-everybody.ts'
import { PagesHere } from './pages-here.ts'

const odd = [
  { id: 'mtg-lea-x2', game: 'mtg', name: 'Onyx', setCode: 'lea', number: '7', prices: { market: 2.1 } },
  { id: 'mtg-base1-x3', game: 'mtg', name: 'Onyx', setCode: 'base1', number: '8' },
]
const list = '2 Charizard 4/102 Base Set\n3 Onyx\n1 Onyx base1 8\n1 Nobody\n'

describe('A collector who comes back', { skip: skipWithout('chromium') }, () => {
  const snapshots = fixtureSnapshot()
  snapshotOf({ 'cards/odd.ndjson': odd, 'about.json': '{"currency":"EUR"}' }, snapshots)
  const here = new PagesHere(snapshots)
  const total = ({ page }: Visitor) => page.getByRole('status', { name: 'Total' })

  async function value(visitor: Visitor): Promise<void> {
    await visitor.open('/value')
    await visitor.page.getByLabel('Your list', { exact: true }).fill(list)
    await visitor.press('Value it')
    await total(visitor).waitFor()
  }

  async function keepAs(visitor: Visitor, name: string): Promise<void> {
    const { page } = visitor
    await value(visitor)
    await page.getByRole('combobox', { name: '3 Onyx', exact: true }).selectOption('mtg-lea-x2')
    await page.getByLabel('Name', { exact: true }).fill(name)
    await visitor.press('Keep on this device')
    await page.getByText('Kept. "Value a list" shows it').waitFor()
  }

  /** As if the list had been valued on an earlier day, when each line was worth 1.00 less. */
  const longAgo = ({ page }: Visitor) =>
    page.evaluate(`(() => {
      for (const [key, raw] of Object.entries(localStorage)) {
        const list = JSON.parse(raw)
        list.valued.at = '2026-01-02T10:00:00.000Z'
        for (const line of list.valued.lines) if (line[3] !== null) line[3] -= 100
        localStorage[key] = JSON.stringify(list)
      }
    })()`)

  it('A list kept on the device opens with one click, with its choices and the change since the last time', async () => {
    await here.visit(async (visitor) => {
      const { page } = visitor
      await keepAs(visitor, 'My box')
      const posted: string[] = []
      page.on('request', (request) => void posted.push(`${request.method()} ${new URL(request.url()).pathname}`))
      await longAgo(visitor)
      await visitor.open('/value')
      await isForEverybody(visitor, [320, 390, 1440])
      const row = page.getByRole('listitem').filter({ hasText: 'My box' })
      assert.match(
        await row.innerText(),
        /My box\s*6 cards · 706\.56 EUR on Jan 2, 2026|My box\s*6 cards · 706\.56 EUR on 2 Jan 2026/,
      )
      await visitor.press('Open My box')
      await total(visitor).filter({ hasText: '706.56 EUR' }).waitFor()
      const since = (await page.locator('.since').innerText()).replace(/\s+/g, ' ')
      assert.match(
        since,
        /^Since 2 Jan 2026: 2 lines have a price then and now: 704\.56 then, 706\.56 now, ▲ up \+2\.00 \(\+0\.3%\)\.|^Since 2 Jan 2026: 2 lines have a price then and now: 704\.56 then, 706\.56 now, ▲ \+2\.00 \(\+0\.3%\)\./,
      )
      const cards = await visitor.rows('Cards of the list')
      assert.deepEqual(cards[0]?.slice(-3), ['Then', 'Change', 'Now (EUR)'])
      assert.deepEqual(
        cards[1]?.slice(-3).map((text) => text.replace(/\s+/g, ' ').replace(' up', '')),
        ['699.26', '▲ +1.00 (+0.1%)', '700.26'],
      )
      assert.equal(await page.getByRole('combobox', { name: '3 Onyx', exact: true }).inputValue(), 'mtg-lea-x2')
      await isForEverybody(visitor, [320, 390, 1440])
      // The values of today are kept, and a second visit still compares with those of the earlier day.
      await visitor.open('/value')
      await visitor.press('Open My box')
      await page.locator('.since').filter({ hasText: '704.56 then' }).waitFor()
      assert.ok(
        posted.every((one) => one.startsWith('GET ') || one === 'POST /value'),
        posted.join(),
      )
    })
  })

  it('A list kept on the device says why it has no comparison, and that today’s values don’t fit', async () => {
    await here.visit(async (visitor) => {
      const { page } = visitor
      await keepAs(visitor, 'My box')
      await page.evaluate(`(() => {
        const [[key, raw]] = Object.entries(localStorage)
        const list = JSON.parse(raw)
        list.valued.currency = 'USD'
        localStorage[key] = JSON.stringify(list)
        localStorage['card-prices-list:other'] = 'x'.repeat(4 * 2 ** 20 - raw.length)
      })()`)
      await visitor.open('/value')
      await page.getByText('There is little room left').waitFor()
      await visitor.press('Open My box')
      await page.getByText('the amounts of then are in USD, and those of now in EUR.').waitFor()
      assert.equal(await page.getByRole('columnheader', { name: 'Then' }).count(), 0)
      await page.getByText('The values of today are not kept. All lists together have at most 4 MB').waitFor()
    })
  })

  it('A deleted list can be restored, and a file carries all lists to another browser', async () => {
    const path = join(temporaryFolder(), 'card-lists.json')
    await here.visit(async (visitor) => {
      const { page } = visitor
      await keepAs(visitor, 'My box')
      await visitor.open('/value')
      await visitor.press('Delete My box')
      await page.getByText('My box is deleted.').waitFor()
      await visitor.press('Undo')
      const [download] = await Promise.all([page.waitForEvent('download'), visitor.press('Download all lists')])
      writeFileSync(path, readFileSync(await download.path()))
    })
    await here.visit(async (visitor) => {
      const { page } = visitor
      await visitor.open('/value')
      await page.evaluate(`localStorage.setItem('card-prices-list:0', '{"version":2}')`)
      await visitor.open('/value')
      await page.getByText('A list that a later version of these pages has kept').waitFor()
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        visitor.press('Restore lists from a file'),
      ])
      await chooser.setFiles(path)
      await page.getByText('1 list restored.').waitFor()
      // Another tab sees it, and deletes it while this one opens it.
      const other = await visitor.context.newPage()
      await other.goto('/value')
      await other.getByRole('button', { name: 'Delete My box' }).click()
      await visitor.button('Open My box').waitFor({ state: 'detached' })
      assert.equal(await page.evaluate(`localStorage.getItem('card-prices-list:0')`), '{"version":2}')
    })
  })

  it('A page says so if the browser blocks its storage, and still values the list', async () => {
    await here.visit(async (visitor) => {
      const { page } = visitor
      await page.addInitScript(
        `Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } })`,
      )
      await value(visitor)
      await visitor.press('Keep on this device')
      await page.getByText('This browser does not let the page keep anything').waitFor()
    })
  })

  for (const javaScriptEnabled of [true, false]) {
    it(`The page values our own CSV without asking about its columns, and shows its old and new amounts, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      await here.visit(
        async (visitor) => {
          const { page } = visitor
          await visitor.open('/value')
          const path = join(temporaryFolder(), 'list.csv')
          const head =
            'line,quantity,name,set,number,printing,rarity,condition,unit price,amount,currency,match,id,text'
          const sayIn = (currency: string) =>
            writeFileSync(path, `\ufeff${head}\r\n1,2,Onyx,,7,,,,2.00,4.00,${currency},ambiguous,mtg-lea-x2,2 Onyx\r\n`)
          sayIn('EUR')
          await page.getByLabel('or a file', { exact: true }).setInputFiles(path)
          await visitor.press('Value it')
          await total(visitor).filter({ hasText: '4.20 EUR' }).waitFor()
          assert.equal(await visitor.heading('Columns').count(), 0)
          const [, row] = await visitor.rows('Cards of the list')
          assert.deepEqual(
            row?.slice(-3).map((text) => text.replace(/\s+/g, ' ').replace(' up', '')),
            ['4.00', '▲ +0.20 (+5.0%)', '4.20'],
          )
          assert.match(
            (await page.locator('.since').innerText()).replace(/\s+/g, ' '),
            /1 line has a price then and now: 4\.00 then, 4\.20 now/,
          )
          if (javaScriptEnabled) await isForEverybody(visitor, [390, 1280])
          await visitor.open('/value')
          sayIn('')
          await page.getByLabel('or a file', { exact: true }).setInputFiles(path)
          await visitor.press('Value it')
          await page.getByText('the amounts of then are without a currency, and those of now in EUR.').waitFor()
          assert.equal((await visitor.rows('Cards of the list'))[0]?.includes('Then'), false)
        },
        { javaScriptEnabled },
      )
    })
  }

  it('The lines of a valued list can be filtered by state and sorted by quantity, and the form is folded', async () => {
    await here.visit(async (visitor) => {
      const { page } = visitor
      await value(visitor)
      assert.equal(await page.getByLabel('Your list', { exact: true }).isVisible(), false)
      const shown = async () =>
        Promise.all(['Which card is it?', 'Cards', 'Not found'].map((name) => visitor.heading(name).isVisible()))
      const filters: readonly (readonly [string, readonly boolean[]])[] = [
        ['Ambiguous', [true, false, false]],
        ['Not found', [false, false, true]],
        ['Price unknown', [false, true, false]],
        ['Priced', [false, true, false]],
        ['All', [true, true, true]],
      ]
      for (const [name, expected] of filters) {
        await visitor.press(name)
        assert.deepEqual(await shown(), expected, name)
      }
      const names = async () => (await visitor.rows('Cards of the list')).slice(1).map((row) => row[1])
      assert.deepEqual(await names(), ['Charizard', 'Onyx'])
      const sort = page.getByRole('table', { name: 'Cards of the list' }).getByRole('button', { name: 'Quantity' })
      await sort.click()
      assert.deepEqual(await names(), ['Onyx', 'Charizard'])
      await sort.click()
      assert.deepEqual(await names(), ['Charizard', 'Onyx'])
      await page.getByText('Change the list').click()
      assert.equal(await page.getByLabel('Your list', { exact: true }).inputValue(), list)
    })
  })
})
