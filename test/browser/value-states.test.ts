/**
 * All that can happen to a list in a browser: columns that ask, choices for all lines at once, a long one with its bar, and what keeps it
 * from being valued. Each state is one that nothing shuts anybody out of.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { listBytesMax, listLinesMax } from '../../src/limits.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { unusedPort } from '../support/port.ts'
import type { Program } from '../support/program.ts'
import { skipWithout } from '../support/programs.ts'
import { startProxy } from '../support/proxies.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import type { Visitor } from './browser.ts'
import { isForEverybody } from './for-everybody.ts'
import { PagesHere } from './pages-here.ts'

const onyx = (id: string, number: string, market: number, setCode = 'lea') => ({
  id: `mtg-${setCode}-${id}`,
  game: 'mtg',
  name: 'Onyx',
  setCode,
  number,
  prices: { market, conditions: { near_mint: market + 1 } },
})
const cards = [onyx('x1', '1', 2.1), onyx('x2', '2', 0.5), onyx('x3', '3', 9, 'base1')]
const field = 'Your list'
const longList = 'Quantity,Name,Set\n'.concat('2,Charizard,Base Set\n'.repeat(listLinesMax - 1), '1,Onyx,\n')

const snapshots = fixtureSnapshot()
snapshotOf({ 'cards/odd.ndjson': cards, 'about.json': '{"currency":"EUR"}' }, snapshots)

const total = ({ page }: Visitor) => page.getByRole('status', { name: 'Total' })
const list = ({ page }: Visitor) => page.getByLabel(field, { exact: true })
const looksRight = (visitor: Visitor) => isForEverybody(visitor, [390, 1280])

/** Typing a long list takes a browser minutes. */
async function put(visitor: Visitor, text: string): Promise<void> {
  await unfold(visitor)
  if (text.length < 10_000) await list(visitor).fill(text)
  else await list(visitor).evaluate((field, value) => void Object.assign(field, { value }), text)
}

/** Below a result, the form is one line. A click misses it if the page scrolls to its result at that moment. */
async function unfold({ page }: Visitor): Promise<void> {
  const isOpen = async () => (await page.locator('.list-fields[open]').count()) > 0
  await until('the form is open', async () => {
    if (!(await isOpen())) await page.getByText('Change the list').click()
    return isOpen()
  })
}

async function begin(visitor: Visitor, text: string): Promise<void> {
  await visitor.open('/dashboard/value')
  await put(visitor, text)
  await visitor.press('Value it')
}

describe('The states of a list in a browser', { skip: skipWithout('chromium') }, () => {
  const here = new PagesHere(snapshots)

  it('A person confirms or corrects guessed columns, and another list gets columns of its own', async () => {
    await here.visitShop(async (visitor) => {
      const { page } = visitor
      await begin(visitor, 'Held,Name,Set\n2,Charizard,Base Set\n3,Charizard,Base Set\n')
      await visitor.heading('Columns').waitFor()
      assert.match(await total(visitor).innerText(), /^No total yet/)
      assert.deepEqual((await visitor.rows('Columns of the list'))[1]?.slice(0, 2), ['Held unsure', '2 · 3'])
      assert.equal(await page.getByRole('combobox', { name: 'Held' }).inputValue(), 'quantity')
      await looksRight(visitor)
      await visitor.press('Use these columns')
      await total(visitor).filter({ hasText: '1,750.65 EUR' }).waitFor()
      await page.getByText('Columns', { exact: true }).click()
      await looksRight(visitor)
      await page.getByRole('combobox', { name: 'Held' }).selectOption('Changes no amount')
      await visitor.press('Use these columns')
      await total(visitor).filter({ hasText: '700.26 EUR' }).waitFor()
      // Another list has columns of its own.
      await put(visitor, 'Qty,Name,Set\n2,Charizard,Base Set\n')
      await visitor.press('Value it')
      await total(visitor).filter({ hasText: '700.26 EUR' }).waitFor()
      assert.equal(await visitor.heading('Columns').count(), 0)
    })
  })

  it('Without scripts, a form confirms guessed columns, which then hold for the next form', async () => {
    await here.visitShop(
      async (visitor) => {
        await begin(visitor, 'Held,Name,Set\n2,Charizard,Base Set\n1,Onyx,\n')
        assert.match(await total(visitor).innerText(), /^No total yet/)
        await visitor.press('Use these columns')
        await total(visitor).filter({ hasText: '700.26 EUR' }).waitFor()
        // The columns hold for the next form.
        await visitor.press('Newest of each')
        await total(visitor).filter({ hasText: '709.26 EUR' }).waitFor()
        await visitor.press('Undo')
        await total(visitor).filter({ hasText: '700.26 EUR' }).waitFor()
        assert.equal(await visitor.button('Undo').isVisible(), false)
      },
      { javaScriptEnabled: false },
    )
  })

  it('Buttons choose the cheapest or the newest card for each line, and “Undo” restores earlier choices', async () => {
    await here.visitShop(async (visitor) => {
      const { page } = visitor
      await begin(visitor, '3 Onyx\n1 Onyx\n2 Charizard 4/102 Base Set\n1 Nobody\n')
      const first = page.getByRole('combobox', { name: '3 Onyx', exact: true })
      await first.selectOption('mtg-lea-x1')
      await total(visitor).filter({ hasText: '706.56 EUR' }).waitFor()
      await looksRight(visitor)
      await visitor.press('Cheapest of each')
      assert.equal(await total(visitor).innerText(), '702.26 EUR')
      await looksRight(visitor)
      await visitor.press('Newest of each')
      assert.equal(await first.inputValue(), 'mtg-base1-x3')
      assert.equal(await total(visitor).innerText(), '736.26 EUR')
      await visitor.press('Undo')
      assert.equal(await total(visitor).innerText(), '706.56 EUR')
      assert.deepEqual(
        await Promise.all((await page.getByRole('combobox', { name: 'Onyx' }).all()).map((one) => one.inputValue())),
        ['mtg-lea-x1', ''],
      )
      const [more, missed] = await Promise.all(
        ['more cards for this line', '1 Nobody'].map((name) =>
          page.getByRole('link', { name }).first().getAttribute('href'),
        ),
      )
      assert.deepEqual([more, missed], ['/dashboard/look-up?q=Onyx', '/dashboard/look-up?q=Nobody'])
    })
  })

  /** The server works for a moment now and then until something is seen, and not at all while the test looks at it. */
  async function slowly(seen: Promise<unknown>, look: () => Promise<unknown>): Promise<void> {
    const { child } = here.service
    let isOver = false
    const work = async () => {
      while (!isOver) {
        child.kill('SIGCONT')
        await pause(20)
        child.kill('SIGSTOP')
        await pause(100)
      }
    }
    const working = work()
    try {
      await seen.finally(() => {
        isOver = true
        return working
      })
      await look()
    } finally {
      child.kill('SIGCONT')
    }
  }

  it('A list of ten thousand lines shows a progress bar, and then a total', async () => {
    await here.visitShop(
      async (visitor) => {
        const { page } = visitor
        await visitor.open('/dashboard/value')
        await put(visitor, longList)
        const bar = page.getByRole('progressbar', { name: 'Lines valued' })
        const seen = page.locator('.valuing progress[value]').waitFor()
        await visitor.press('Value it')
        await slowly(seen, async () => {
          assert.match((await page.locator('.valuing').innerText()).trim(), /^[\d,]+ of 10,000 lines$/)
          await isForEverybody(visitor, [390])
        })
        await total(visitor).waitFor()
        assert.equal(await bar.count(), 0)
        assert.equal(await total(visitor).innerText(), '7,001,899.74 EUR')
        // The line that may be several cards is in a table of its own.
        const rows = page.getByRole('table', { name: 'Cards of the list' }).locator('tbody tr')
        assert.deepEqual([await rows.count(), await rows.filter({ visible: true }).count()], [listLinesMax - 1, 500])
        await visitor.press('Show 9,499 more lines')
        assert.ok(await rows.last().isVisible())
        await visitor.open('/dashboard')
        assert.match(await page.locator('#used').innerText(), /^500 of 10,000$/)
      },
      { plan: 'trader' },
    )
  })

  it('A list of ten thousand lines shows its progress without scripts, and then a total', async () => {
    await here.visitShop(
      async (visitor) => {
        const { page } = visitor
        await visitor.open('/dashboard/value')
        await put(visitor, longList)
        const pressed = visitor.press('Value it')
        // The marks stay in the page, where the style hides all but the last one, and at the end all.
        const mark = page.locator('.valuing p').first()
        await slowly(mark.waitFor({ state: 'attached' }), async () =>
          assert.match((await mark.textContent())!.trim(), /^[\d,]+ of 10,000 lines$/),
        )
        await pressed
        await total(visitor).filter({ hasText: '7,001,899.74 EUR' }).waitFor()
        await page.locator('.valuing').waitFor({ state: 'hidden' })
      },
      { javaScriptEnabled: false },
    )
  })

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with scripts' : 'without scripts'
    it(`A list stays in its field when the session has ended, ${how}`, async () => {
      await here.visitShop(
        async (visitor, { name }) => {
          const { page } = visitor
          await visitor.open('/dashboard/value')
          await accounts(here.storeDir, 'sign-out', name)
          visitor.announce(401)
          await list(visitor).fill('2 Charizard 4/102 Base Set')
          await visitor.press('Value it')
          const said = await page.getByRole('alert').innerText()
          assert.match(said, /Your session has ended\. Your list is still here\. Sign in again in another tab/)
          // The page may still be on its way.
          const isKept = async () => (await list(visitor).inputValue()) === '2 Charizard 4/102 Base Set'
          await until('the list is in its field', isKept)
          if (javaScriptEnabled) await looksRight(visitor)
          const { url } = await accounts(here.storeDir, 'sign-in', name)
          const other = await visitor.context.newPage()
          await other.goto(new URL(url).pathname)
          await other.getByRole('button', { name: 'Sign in' }).click()
          await other.getByRole('heading', { name }).waitFor()
          await visitor.press('Value it')
          await total(visitor).filter({ hasText: '700.26 EUR' }).waitFor()
        },
        { javaScriptEnabled },
      )
    })

    it(`A list that is too large stays in its field, ${how}`, async () => {
      await here.visitShop(
        async (visitor) => {
          const { page } = visitor
          const [tooLarge, tooMany] = ['1 Charizard\n'.repeat(200_000), '1 Charizard\n'.repeat(listLinesMax + 1)]
          visitor.announce(413)
          visitor.announce(400)
          for (const [text, message] of [
            [tooLarge, /A list has at most 2 MB\. .* in several parts\.$/],
            [tooMany, /A list has at most 10,000 lines\. .* in several parts\.$/],
          ] as const) {
            await begin(visitor, text)
            const said = (await page.getByRole('alert').innerText()).replace(/\s+/g, ' ')
            assert.match(said, message)
            // The page may still be on its way.
            await until('the list is as it was', async () => (await list(visitor).inputValue()) === text)
          }
          if (!javaScriptEnabled) return
          await looksRight(visitor)
          const path = join(temporaryFolder(), 'large.csv')
          writeFileSync(path, tooLarge)
          await page.getByLabel('or a file', { exact: true }).setInputFiles(path)
          await visitor.press('Value it')
          assert.match(await page.getByRole('alert').innerText(), /at most 2 MB/)
        },
        { javaScriptEnabled },
      )
    })
  }

  it('A list that needs more requests than the quota has left is not valued, and the page says why', async () => {
    await here.visitShop(
      async (visitor) => {
        visitor.announce(429)
        await begin(visitor, '1 Charizard 4/102 Base Set\n'.repeat(4001))
        const said = await visitor.page.getByRole('alert').innerText()
        assert.match(said, /^4,000 lines can be valued today: 200 requests of your quota are left/)
        await looksRight(visitor)
        await put(visitor, '1 Charizard 4/102 Base Set\n'.repeat(4000))
        await visitor.press('Value it')
        await total(visitor).waitFor()
      },
      { plan: 'free' },
    )
  })
})

for (const name of ['nginx', 'haproxy'] as const) {
  describe(`A long list through ${name}`, { skip: skipWithout('chromium') || skipWithout(name) }, () => {
    const env: NodeJS.ProcessEnv = { WEB_TRUST_PROXY: '1' }
    let proxy: Program
    before(async () => {
      const [port, pagesPort] = [await unusedPort(), await unusedPort()]
      proxy = await startProxy(name, [port], { pagesPort })
      Object.assign(env, { PORT: `${port}`, WEB_PORT: `${pagesPort}`, WEB_URL: `http://127.0.0.1:${proxy.port}` })
    })
    const here = new PagesHere(snapshots, env)
    after(() => proxy?.stop())

    for (const javaScriptEnabled of [true, false]) {
      it(`A list of ten thousand lines, and one of 2 MB, pass ${name} ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
        const options = { javaScriptEnabled, baseURL: env['WEB_URL']!, plan: 'business' }
        await here.visitShop(async (visitor) => {
          await begin(visitor, longList)
          await total(visitor).filter({ hasText: '7,001,899.74 EUR' }).waitFor()
          // As the field sends it.
          const wide = `Quantity,Name,Set,Notes\n${`2,Charizard,Base Set,${'n'.repeat(180)}\n`.repeat(listLinesMax)}`
          await put(visitor, wide.slice(0, listBytesMax))
          await visitor.press('Value it')
          await total(visitor).filter({ hasText: '7,002,600.00 EUR' }).waitFor()
        }, options)
      })
    }
  })
}
