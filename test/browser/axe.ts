/** Barriers for people on a page, as axe-core finds them. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A line a finding of any weight, with the elements that it is about. */
export async function barriersOn(page: Page): Promise<string[]> {
  // Not as an element of the page: its policy allows no script but its own.
  await page.evaluate(source)
  const { violations } = (await page.evaluate(`axe.run(document, { preload: false })`)) as AxeResults
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  )
}
