/** Every page in light and dark, narrow and wide: nothing shuts anybody out, and nothing is wider than the window. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accounts } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { skipWithout } from '../support/programs.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { fits, isForEverybody } from './for-everybody.ts'
import { PagesHere } from './pages-here.ts'

const threeWidths = [320, 390, 1280] as const

describe('The accessibility of the pages', { skip: skipWithout('chromium') }, () => {
  const long = { id: 'mtg-lea-x', game: 'mtg', name: 'Dragon '.repeat(20).trim(), setCode: 'lea' }
  const snapshots = fixtureSnapshot()
  snapshotOf({ 'cards/long.ndjson': [{ ...long, rarity: 'x'.repeat(60) }] }, snapshots)
  const here = new PagesHere(snapshots)

  it('The public pages, the sign-in page and a wrong link are accessible', async () => {
    const { name } = await here.shop('free', '長い名前の店'.repeat(10))
    const { url } = await accounts(here.storeDir, 'sign-in', name)
    await here.visit(async (visitor) => {
      for (const path of ['/', '/look-up?q=dragon', '/cards/pokemon-base1-004', `/cards/${long.id}`, '/status']) {
        await visitor.open(path)
        await isForEverybody(visitor)
      }
      const filtered = [
        '/look-up',
        '/look-up?q=forest&game=mtg&rarity=Common',
        '/look-up?game=mtg&set=lea',
        '/look-up?set=zz',
      ]
      for (const path of [...filtered, '/cards/pokemonjp-pmcg1-006']) {
        await visitor.open(path)
        await isForEverybody(visitor, threeWidths)
      }
      await visitor.open('/look-up?q=forest&min_price=x', 400)
      await isForEverybody(visitor, threeWidths)
      await visitor.open(new URL(url).pathname)
      await isForEverybody(visitor)
      await visitor.open('/sign-in/wrong', 404)
      await isForEverybody(visitor)
    })
  })

  it('The dashboard is accessible when new, with a new key, with many keys, and with a rejected form', async () => {
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

  it('The pages that confirm a change of a key, and the one that renames it, are accessible', async () => {
    await here.visitShop(async (visitor, { keyId }) => {
      for (const change of ['regenerate', 'rename', 'revoke']) {
        await visitor.open(`/dashboard/keys/${keyId}/${change}`)
        await isForEverybody(visitor)
      }
      await visitor.open('/dashboard/keys/none/revoke', 404)
      await isForEverybody(visitor)
    })
  })

  it('The dashboard’s search results and its pages of cards are accessible', async () => {
    await here.visitShop(async (visitor) => {
      await visitor.open('/dashboard/look-up?q=dragon')
      await isForEverybody(visitor)
      for (const id of ['pokemon-base1-004', 'pokemon-base1-x', long.id]) {
        await visitor.open(`/dashboard/cards/${id}`)
        await isForEverybody(visitor)
      }
    })
  })

  for (const javaScriptEnabled of [true, false]) {
    it(`The pages ${javaScriptEnabled ? 'are accessible if their scripts arrive empty' : 'fit the window in a browser without scripts'}`, async () => {
      await here.visitShop(
        async (visitor) => {
          const nothing = { contentType: 'text/javascript', body: '' }
          await visitor.page.route(/\/assets\/.*\.js$/, (route) => route.fulfill(nothing))
          const looked = ['/dashboard/look-up?q=forest', '/dashboard/look-up?game=mtg&set=lea']
          for (const path of ['/', '/dashboard', ...looked, '/dashboard/cards/pokemon-base1-004', '/docs']) {
            await visitor.open(path)
            // axe needs timers, which such a browser does not run.
            await (javaScriptEnabled ? isForEverybody : fits)(visitor, threeWidths)
          }
        },
        { javaScriptEnabled },
      )
    })
  }

  it('The page that answers a form after its session has ended passes the accessibility checks', async () => {
    await here.visitShop(async (visitor, { name }) => {
      await visitor.tab('Keys')
      await accounts(here.storeDir, 'sign-out', name)
      visitor.announce(401)
      await visitor.fillKey('till 4', '2031-01-31')
      await visitor.press('Create key')
      await visitor.heading('Your session has ended').waitFor()
      assert.equal(await visitor.page.getByLabel('Name', { exact: true }).inputValue(), 'till 4')
      await isForEverybody(visitor, threeWidths)
    })
  })

  it('The guide and the reference are accessible', async () => {
    await here.visit(async (visitor) => {
      for (const path of ['/docs', '/docs/reference']) {
        await visitor.open(path)
        await isForEverybody(visitor, threeWidths)
      }
    })
  })

  it('A list, its value and its errors are accessible', async () => {
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
      await visitor.page.getByText('Change the list').click()
      await value('')
      await visitor.page.getByRole('alert').waitFor()
      await isForEverybody(visitor, [1280])
    })
  })

  it('A list’s value over time is accessible, in each period and as a table', async () => {
    await here.visitShop(async (visitor) => {
      const { page } = visitor
      await visitor.tab('Value a list')
      await page.getByLabel('Your list', { exact: true }).fill('2 Charizard 4/102 Base Set\n3 Forest\n')
      await visitor.press('Value it')
      for (const [label, part] of Object.entries({ '30 days': '.of-30d', '90 days': '.of-90d', '1 year': '.of-1y' })) {
        await page.getByText(label, { exact: true }).and(page.locator('label')).click()
        await page.locator(`${part} canvas`).waitFor()
        await page.locator(`${part} summary`).click()
        await isForEverybody(visitor, [320, 1280])
      }
    })
  })
})
