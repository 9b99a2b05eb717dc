/** Usage and a first request in a browser: what is shown of both is true while the page is open. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { dayOfMs } from '../../src/calendar.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { until } from '../support/until.ts'
import { PagesHere } from './pages-here.ts'

const run = promisify(execFile)

describe('The usage in a browser', { skip: skipWithout('chromium') }, () => {
  const here = new PagesHere()

  it('Today’s requests, their meter, chart and table update by themselves', async () => {
    await here.visitShop(async (visitor, { name, key }) => {
      const today = dayOfMs(Date.now())
      const store = new Store(here.storeDir)
      const number = store.accountNumber(name)!
      store.write(() => {
        store.addUsage(today, number, 1230)
        store.addUsage(today - 1, number, 77)
      })
      await store.close()
      await visitor.page.reload()
      await visitor.heading('Usage').waitFor()
      await visitor.page.getByText('1,230 of 10,000').waitFor()
      const meter = visitor.page.getByRole('meter', { name: 'Requests used today', exact: true })
      const meterValue = async () => [await meter.getAttribute('max'), await meter.getAttribute('value')]
      assert.deepEqual(await meterValue(), ['10000', '1230'])
      const chart = visitor.page.getByRole('img', { name: 'Requests a day', exact: true })
      assert.ok((await chart.locator('canvas').boundingBox())!.width > 300)
      const drawing = () => visitor.page.evaluate(`document.querySelector('[data-chart] canvas').toDataURL()`)
      const drawn = await drawing()
      for (let i = 0; i < 4; i++) assert.equal(await here.statusWith(key), 200)
      await visitor.page.getByText('1,234 of 10,000').waitFor()
      assert.deepEqual(await meterValue(), ['10000', '1234'])
      await visitor.page.getByText('Requests a day as a table').click()
      const [head, ...rows] = await visitor.rows('Requests a day')
      assert.deepEqual([head, rows.length, rows[0]![1], rows[1]![1]], [['Date (UTC)', 'Requests'], 90, '1,234', '77'])
      await until('the chart is drawn anew', async () => (await drawing()) !== drawn)
    })
  })

  it('With forced colours, the meter has a border, and only the current tab is marked', async () => {
    await here.visitShop(
      async ({ page }) => {
        const borders = (selector: string, name: string) =>
          page.evaluate<string[]>(
            `[...document.querySelectorAll('${selector}')].map((one) => getComputedStyle(one).getPropertyValue('${name}'))`,
          )
        assert.deepEqual(await borders('meter', 'border-top-width'), ['1px'])
        assert.deepEqual(await borders('.tabs a', 'outline-style'), ['solid', 'none', 'none', 'none'])
        const [ground, ...underlines] = [
          ...(await borders('meter', 'background-color')),
          ...(await borders('.tabs a:not([aria-current])', 'border-bottom-color')),
        ]
        assert.deepEqual(underlines, Array(3).fill(ground))
      },
      { forcedColors: 'active' },
    )
  })

  it('A hidden page sends no requests', async () => {
    await here.visitShop(async ({ page }) => {
      const hide = (isHidden: boolean) =>
        page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })`)
      await hide(true)
      // Requests that it had begun before, its own files among them, are counted by then.
      await page.waitForLoadState('networkidle')
      await page.waitForTimeout(500)
      let asked = 0
      page.on('request', () => asked++)
      // The page's clock decides when it would request usage.
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 3500))')
      assert.equal(asked, 0)
      await hide(false)
      await until('it asks again', () => asked > 0)
    })
  })

  it('The curl line and the program on the dashboard work with the reader’s own key', {
    skip: skipWithout('curl'),
  }, async () => {
    await here.visitShop(async (visitor, { key }) => {
      await visitor.heading('Start').waitFor()
      const line = await visitor.page.locator('pre', { hasText: 'curl' }).innerText()
      const program = await visitor.page.locator('pre', { hasText: 'await fetch' }).innerText()
      assert.ok(line.includes(here.service.address))
      const answer = await run('sh', ['-c', line.replace('YOUR_KEY', key)])
      assert.equal(JSON.parse(answer.stdout).data[0].name, 'Charizard')
      const file = join(temporaryFolder(), 'program.mjs')
      writeFileSync(file, program)
      const { stdout } = await run(process.execPath, [file], { env: { ...process.env, CARD_PRICES_KEY: key } })
      assert.match(stdout, /^Charizard Base Set 350\.13$/m)
      await visitor.page.getByRole('main').getByRole('link', { name: 'Reference' }).click()
      await visitor.heading('Reference').waitFor()
    })
  })
})
