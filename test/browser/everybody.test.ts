/** Every page in light and dark, narrow and wide: nothing shuts anybody out, and nothing is wider than the window. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { accounts } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { skipWithout } from '../support/programs.ts'
import { snapshotOf } from '../support/snapshot.ts'
import type { Visitor } from './browser.ts'
import { PagesHere } from './pages-here.ts'

const themes = ['light', 'dark'] as const
const widths = [320, 360, 768, 1280, 1920] as const
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

describe('for everybody', { skip: skipWithout('chromium') }, () => {
  const long = { id: 'mtg-lea-x', game: 'mtg', name: 'Dragon '.repeat(20).trim(), setCode: 'lea' }
  const snapshots = fixtureSnapshot()
  snapshotOf({ 'cards/long.ndjson': [{ ...long, rarity: 'x'.repeat(60) }] }, snapshots)
  const here = new PagesHere(snapshots)

  /** Looks at it in both themes and all widths. */
  async function isForEverybody({ page }: Visitor, those: readonly number[] = widths): Promise<void> {
    for (const width of those) {
      await page.setViewportSize({ width, height: 800 })
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme })
        const where = `${new URL(page.url()).pathname}, ${width} px, ${colorScheme}`
        assert.deepEqual(await barriersOn(page), [], where)
        const wider = await page.evaluate(
          `document.scrollingElement.scrollWidth <= innerWidth ? [] :
             [...document.querySelectorAll('*')].filter((e) => e.getBoundingClientRect().right > innerWidth)
               .map((e) => e.outerHTML.slice(0, 60)).slice(0, 5)`,
        )
        assert.deepEqual(wider, [], `${where}: wider than the window`)
      }
    }
  }

  it('the first page, signing in, and what is said of a link that is wrong', async () => {
    const { name } = await here.shop('free', '長い名前の店'.repeat(10))
    const { url } = await accounts(here.storeDir, 'sign-in', name)
    await here.visit(async (visitor) => {
      for (const path of ['/', '/look-up?q=dragon', '/cards/pokemon-base1-004', `/cards/${long.id}`, '/status']) {
        await visitor.open(path)
        await isForEverybody(visitor)
      }
      await visitor.open(new URL(url).pathname)
      await isForEverybody(visitor)
      await visitor.open('/sign-in/wrong', 404)
      await isForEverybody(visitor)
    })
  })

  it('the dashboard: new, with a key that was made, with many keys, with what is wrong with a form', async () => {
    await here.visitShop(
      async (visitor, { name, keyId }) => {
        await isForEverybody(visitor)
        await visitor.tab('Keys')
        await isForEverybody(visitor)
        await visitor.createKey('x'.repeat(64), '2030-01-31')
        await visitor.page.getByRole('status').waitFor()
        await isForEverybody(visitor)
        for (let i = 3; i <= 10; i++) await accounts(here.storeDir, 'create-key', name, '--name', `key ${i}`)
        await accounts(here.storeDir, 'revoke', keyId)
        visitor.announce(400)
        await visitor.createKey('y'.repeat(101))
        await visitor.page.getByRole('alert').waitFor()
        await isForEverybody(visitor)
      },
      { name: 'one-word-that-is-as-long-as-the-name-of-an-account-can-be-000000' },
    )
  })

  it('the pages that ask, and the one that renames', async () => {
    await here.visitShop(async (visitor, { keyId }) => {
      for (const change of ['regenerate', 'rename', 'revoke']) {
        await visitor.open(`/dashboard/keys/${keyId}/${change}`)
        await isForEverybody(visitor)
      }
      await visitor.open('/dashboard/keys/none/revoke', 404)
      await isForEverybody(visitor)
    })
  })

  it('a search and cards', async () => {
    await here.visitShop(async (visitor) => {
      await visitor.open('/dashboard/look-up?q=dragon')
      await isForEverybody(visitor)
      for (const id of ['pokemon-base1-004', 'pokemon-base1-x', long.id]) {
        await visitor.open(`/dashboard/cards/${id}`)
        await isForEverybody(visitor)
      }
    })
  })

  it('the guide and the reference', async () => {
    await here.visit(async (visitor) => {
      for (const path of ['/docs', '/docs/reference']) {
        await visitor.open(path)
        await isForEverybody(visitor, [320, 1280])
      }
    })
  })

  it('a list, what it is worth, and what is wrong with it', async () => {
    await here.visit(async (visitor) => {
      const value = async (list: string) => {
        await visitor.page.getByLabel('Your list', { exact: true }).fill(list)
        await visitor.press('Value it')
      }
      await visitor.open('/value')
      await value(`Deck\n2 Charizard 4/102 Base Set\n3 Forest\n1 ${'Nobody '.repeat(20)}\n`)
      await visitor.page.getByRole('table', { name: 'Ambiguous lines' }).waitFor()
      await isForEverybody(visitor)
      visitor.announce(400)
      await value('')
      await visitor.page.getByRole('alert').waitFor()
      await isForEverybody(visitor, [1280])
    })
  })
})
