/** Whether a page shuts nobody out, and is no wider than its window: in light and dark, narrow and wide. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import type { Visitor } from './browser.ts'

const themes = ['light', 'dark'] as const
const widths = [320, 390, 768, 1280, 1920] as const
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The barriers on a page that axe-core reports, of any weight: a line each, with the elements that have it. */
async function barriersOn(page: Page): Promise<string[]> {
  // Not as an element of the page: its policy allows no script but its own.
  await page.evaluate(axe)
  const { violations } = (await page.evaluate(`axe.run(document, { preload: false })`)) as AxeResults
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  )
}

/** Looks at it in both themes and all widths. */
export async function isForEverybody(visitor: Visitor, those: readonly number[] = widths): Promise<void> {
  await everywhere(visitor, those, async (where) => {
    assert.deepEqual(await barriersOn(visitor.page), [], where)
    await assertNoWider(visitor.page, where)
  })
}

/** That it is no wider than the window. */
export const fits = (visitor: Visitor, those: readonly number[]): Promise<void> =>
  everywhere(visitor, those, (where) => assertNoWider(visitor.page, where))

async function everywhere(
  { page }: Visitor,
  those: readonly number[],
  look: (where: string) => Promise<void>,
): Promise<void> {
  for (const width of those) {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme })
      await look(`${new URL(page.url()).pathname}, ${width} px, ${colorScheme}`)
    }
  }
}

async function assertNoWider(page: Page, where: string): Promise<void> {
  const wider = await page.evaluate(
    `document.scrollingElement.scrollWidth <= innerWidth ? [] :
       [...document.querySelectorAll('*')].filter((e) => e.getBoundingClientRect().right > innerWidth)
         .map((e) => e.outerHTML.slice(0, 60)).slice(0, 5)`,
  )
  assert.deepEqual(wider, [], `${where}: wider than the window`)
}
