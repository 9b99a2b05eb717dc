/** The pages by keyboard alone: everything is reached by Tab, does its work by Enter or Space, and shows where one is. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dateOfDay, dayOfMs } from '../../src/calendar.ts'
import { accounts } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { until } from '../support/until.ts'
import type { Visitor } from './browser.ts'
import { PagesHere } from './pages-here.ts'

/** A page of ours has fewer places where Tab stops. */
const stopsMax = 150

/** The focused element: its role and name, as far as the tests use them, and how the page shows the focus. */
const focused = `(() => {
  const element = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  const { width, height, bottom, right } = element.getBoundingClientRect()
  const row = element.closest('tr')?.querySelector('th')?.textContent
  const label = element.labels?.[0]?.textContent ?? element.getAttribute('aria-label') ?? element.textContent.trim()
  return {
    place: element.tagName.toLowerCase() + ' ' + label.slice(0, 80) + (row ? ' of ' + row : ''),
    isBody: element === document.body,
    isShown: outlineStyle !== 'none' && parseFloat(outlineWidth) > 0 && width > 0 && height > 0 && bottom > 0 && right > 0,
  }
})()`

interface Focused {
  readonly place: string
  readonly isBody: boolean
  readonly isShown: boolean
}

describe('The pages by keyboard alone', { skip: skipWithout('chromium') }, () => {
  const here = new PagesHere()

  /** Goes there by Tab; each stop on the way must be seen. */
  async function goTo({ page }: Visitor, place: string, key = 'Tab'): Promise<void> {
    const passed: string[] = []
    while (passed.length < stopsMax) {
      await page.keyboard.press(key)
      const at = (await page.evaluate(focused)) as Focused
      passed.push(at.place)
      assert.ok(at.isBody || at.isShown, `the focus on ${at.place} is not seen`)
      if (at.place === place) return
    }
    assert.fail(`${place} is not reached: ${passed.slice(0, 40).join(', ')}`)
  }

  async function press(visitor: Visitor, place: string, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
    await goTo(visitor, place)
    await visitor.page.keyboard.press(key)
  }

  async function type(visitor: Visitor, place: string, text: string): Promise<void> {
    await goTo(visitor, place)
    await visitor.page.keyboard.press('Control+A')
    await visitor.page.keyboard.type(text)
  }

  it('A person without a mouse signs in, makes, renames and revokes a key, and signs out', async () => {
    const { name } = await here.shop()
    const { url } = await accounts(here.storeDir, 'sign-in', name)
    await here.visit(async (visitor) => {
      const { page } = visitor
      await visitor.open(new URL(url).pathname)
      await press(visitor, 'button Sign in')
      await visitor.heading('Usage').waitFor()
      await press(visitor, 'a Keys')
      await visitor.heading('Keys').waitFor()
      await type(visitor, 'input Name', 'typed')
      await page.keyboard.press('Enter')
      await page.getByRole('status').waitFor()
      await press(visitor, 'button Copy key', 'Space')
      await page.getByText('Copied', { exact: true }).waitFor()
      await press(visitor, 'button Rename of typed', 'Space')
      await visitor.heading('Rename the key typed').waitFor()
      await type(visitor, 'input Name', 'renamed')
      await press(visitor, 'button Rename')
      await visitor.row('renamed').waitFor()
      await press(visitor, 'summary More of renamed')
      await press(visitor, 'button Regenerate of renamed')
      await visitor.heading('Regenerate the key renamed?').waitFor()
      await press(visitor, 'button Yes, regenerate', 'Space')
      await page.getByRole('status').waitFor()
      await press(visitor, 'summary More of renamed', 'Space')
      await press(visitor, 'button Revoke of renamed')
      await visitor.heading('Revoke the key renamed?').waitFor()
      await press(visitor, 'button Yes, revoke')
      await visitor.row('renamed').getByText('revoked').waitFor()
      await press(visitor, 'button Sign out')
      await visitor.heading('Trading card prices').waitFor()
    })
  })

  it('An expiry date is typed or chosen by keyboard, and shown in the reader’s own format', async () => {
    await here.visitShop(
      async (visitor) => {
        await visitor.tab('Keys')
        await type(visitor, 'input Name', 'short')
        await goTo(visitor, 'input Expires')
        await visitor.page.keyboard.type('01012030')
        await press(visitor, 'button Create key')
        await visitor.row('short').getByText('01.01.2030', { exact: true }).waitFor()
        await type(visitor, 'input Name', 'preset')
        await goTo(visitor, 'input Never')
        await visitor.page.keyboard.press('ArrowLeft')
        const date = await visitor.page.getByLabel('Expires', { exact: true }).inputValue()
        assert.equal(date, dateOfDay(dayOfMs(Date.now()) + 365))
        await press(visitor, 'button Create key')
        await visitor.row('preset').getByText(date.split('-').reverse().join('.'), { exact: true }).waitFor()
      },
      { locale: 'de-DE' },
    )
  })

  it('A person without a mouse scrolls a table, searches a card and changes the period of its chart', async () => {
    await here.visitShop(async (visitor) => {
      const { page } = visitor
      await press(visitor, 'summary Requests a day as a table')
      await goTo(visitor, 'div Requests a day as a table')
      await page.keyboard.press('End')
      await until('the table is scrolled', () => page.evaluate<boolean>(`document.activeElement.scrollTop > 0`))
      await type(visitor, 'input Card name', 'charizard')
      await page.keyboard.press('Enter')
      await page.getByRole('table', { name: 'Cards found' }).waitFor()
      await press(visitor, 'a Charizard of Charizard')
      await visitor.heading('Charizard').waitFor()
      await press(visitor, 'a all')
      await page.locator('[aria-current="true"]', { hasText: 'all' }).waitFor()
      await press(visitor, 'a Look up another card')
      await visitor.heading('Look up').waitFor()
    })
  })

  it('Arrow keys move through the guide’s language tabs, and a chosen language applies to all examples', async () => {
    await here.visit(async (visitor) => {
      await visitor.open('/docs')
      const shown = visitor.page.getByRole('tabpanel')
      const count = await shown.count()
      await goTo(visitor, 'button curl')
      for (const [key, language] of [
        ['ArrowRight', 'JavaScript'],
        ['ArrowRight', 'Python'],
        ['ArrowRight', 'curl'],
        ['ArrowLeft', 'Python'],
        ['Home', 'curl'],
        ['End', 'Python'],
      ] as const) {
        await visitor.page.keyboard.press(key)
        const at = (await visitor.page.evaluate(focused)) as Focused
        assert.deepEqual([at.place, at.isShown], [`button ${language}`, true])
        const having = await visitor.page.getByRole('tab', { name: language }).count()
        assert.equal(await visitor.page.getByRole('tab', { name: language, selected: true }).count(), having)
        assert.equal(await shown.count(), count)
      }
      await visitor.page.getByText('import requests', { exact: false }).first().waitFor()
    })
  })

  it('A person without a mouse can use the link “Skip to content”', async () => {
    await here.visitShop(async (visitor) => {
      await press(visitor, 'a Skip to content')
      await goTo(visitor, 'a Keys')
      await goTo(visitor, 'button Sign out', 'Shift+Tab')
    })
  })
})
