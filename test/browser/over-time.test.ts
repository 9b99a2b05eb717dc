/** "Over time" of a valued list in a browser: its chart, its periods, and the choices that it does not have. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { drawnLists, naiveWorth, worthSnapshot } from '../client/drawn-worth.ts'
import { skipWithout } from '../support/programs.ts'
import { snapshotOf } from '../support/snapshot.ts'
import type { Visitor } from './browser.ts'
import { PagesHere } from './pages-here.ts'

const list = drawnLists(20).reduce((longest, one) => (one.lines.length > longest.lines.length ? one : longest))

describe('The worth of a list over time in a browser', { skip: skipWithout('chromium') }, () => {
  const here = new PagesHere(snapshotOf(worthSnapshot))

  async function value(visitor: Visitor, text: string): Promise<void> {
    await visitor.tab('Value a list')
    await visitor.page.getByLabel('Your list', { exact: true }).fill(text)
    await visitor.press('Value it')
    await visitor.heading('Over time').waitFor()
  }

  it('The chart of a list’s value follows the period chosen by arrow keys, and shows its last day’s total', async () => {
    await here.visitShop(async (visitor) => {
      const { page } = visitor
      await value(visitor, list.text)
      for (const [i, period] of (['30d', '90d', '1y'] as const).entries()) {
        if (i === 0) await page.getByRole('radio', { name: '30 days' }).focus()
        else await page.keyboard.press('ArrowRight')
        const part = page.locator(`.of-${period}`)
        await part.locator('canvas').waitFor()
        assert.equal(await page.locator('.over-time .chart:visible').count(), 1)
        const { total } = naiveWorth(list, period).days.at(-1)!
        const pointed = (await part.locator('.pointed').innerText()).replaceAll(',', '')
        assert.ok(pointed.endsWith(` ${total.toFixed(2)}`), pointed)
        const { width } = (await part.locator('canvas').boundingBox())!
        assert.ok(width > 300, `the chart is ${width} px wide`)
      }
      await value(visitor, list.text)
      await page.locator('.of-30d canvas').waitFor()
    })
  })

  it('The page says when the section "Over time" lacks a choice that was just made', async () => {
    await here.visitShop(async (visitor) => {
      const { page } = visitor
      await value(visitor, '1 pokemon-base1-000\n1 Pikachu\n')
      const note = page.getByText('The cards that you have chosen below are not in it.')
      const choice = page.getByRole('combobox', { name: '1 Pikachu', exact: true })
      assert.equal(await note.isVisible(), false)
      await choice.selectOption({ index: 1 })
      assert.equal(await note.isVisible(), true)
      await choice.selectOption({ index: 0 })
      assert.equal(await note.isVisible(), false)
      await choice.selectOption({ index: 1 })
      const counted = page.locator('.of-30d > .hint')
      const before = await counted.innerText()
      await visitor.press('Keep on this device')
      await visitor.tab('Value a list')
      await page.getByRole('button', { name: /^Open / }).click()
      await visitor.heading('Over time').waitFor()
      assert.equal(await note.isVisible(), false)
      assert.notEqual(await counted.innerText(), before)
    })
  })

  it('Without scripts, the section "Over time" has a table for each period and includes the chosen cards', async () => {
    await here.visitShop(
      async (visitor) => {
        const { page } = visitor
        await value(visitor, '1 pokemon-base1-000\n1 Pikachu\n')
        const counted = () => page.locator('.of-1y > .hint').innerText()
        await page.locator('label[for=worth-1y]').click()
        assert.match(await counted(), /^1 line at the market price/)
        await page.locator('.of-1y summary').click()
        assert.equal(await page.locator('#worth-days-1y').isVisible(), true)
        await page.getByRole('combobox', { name: '1 Pikachu', exact: true }).selectOption({ index: 1 })
        await visitor.press('Update the total')
        await page.locator('label[for=worth-1y]').click()
        assert.match(await counted(), /^2 lines at the market price|Left out: 1 line/)
      },
      { javaScriptEnabled: false },
    )
  })
})
