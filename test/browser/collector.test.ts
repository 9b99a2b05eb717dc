/** What a collector meets in a browser: suggestions in their place, pictures that move nothing and leave no hole, a first screen. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { dateOfDay, dayOfDate } from '../../src/calendar.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { skipWithout } from '../support/programs.ts'
import { send } from '../support/service.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import type { Visitor } from './browser.ts'
import { PagesHere } from './pages-here.ts'

const widths = [320, 390, 1280] as const
const themes = ['light', 'dark'] as const

/** A publisher's pictures, which take their time; every fourth one is missing. */
const publisher = createServer(async ({ url = '' }, response) => {
  await pause(200)
  if (Number(/\d+/.exec(url)?.[0]) % 4 === 3) return response.writeHead(404).end()
  response.writeHead(200, { 'content-type': 'image/svg+xml' })
  return response.end(
    '<svg xmlns="http://www.w3.org/2000/svg" width="488" height="680"><rect width="488" height="680"/></svg>',
  )
})
await new Promise<void>((listening) => publisher.listen(0, '127.0.0.1', listening))
const host = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`

const names = ['Ace', 'Bay', 'Cliff', 'Dune', 'Elm', 'Fern', 'Glade', 'Hill', 'Isle', 'Jungle']
const picture = (i: number) => `${host}/${i}.svg`
const card = (i: number, name: string) => ({
  id: `mtg-lea-s${i}`,
  game: 'mtg',
  setCode: 'lea',
  number: `${100 + i}`,
  rarity: 'Rare',
  name,
  image: picture(i),
  prices: { market: 5 + i },
})
const stars = names.map((name, i) => card(i, `Star ${name}`))
/** Cards of one name, in two sets. */
const suns = Array.from({ length: 12 }, (_, i) => ({
  ...card(20 + i, 'Sun of the Long Forgotten Morning'),
  ...(i % 3 === 0 && { setCode: 'base1' }),
}))
const newest = dayOfDate('2026-11-20')
const history = [...stars, ...suns].flatMap(({ id }, i) =>
  [0, 7, 30].map((age) => `${dateOfDay(newest - age)},${id},${5 + i + (i % 2 === 0 ? age : -age / 10)},4,20`),
)

describe('A collector in a browser', { skip: skipWithout('chromium') }, () => {
  after(() => publisher.close())
  const snapshots = snapshotOf(
    {
      'cards/pictured.ndjson': [...stars, ...suns],
      'history/pictured.csv': `date,id,market,low,high\n${history.join('\n')}\n`,
      'about.json': JSON.stringify({ currency: 'USD', contact: 'https://shop.example/ask', images: [host] }),
    },
    fixtureSnapshot(),
  )
  const here = new PagesHere(snapshots)

  /** Some of them are missing. */
  function expectPictures(visitor: Visitor): Visitor {
    visitor.expectFrom(host)
    visitor.announce(404)
    return visitor
  }

  /** Each width and theme, with the window as it is when the page opens there. */
  async function everywhere({ page }: Visitor, action: (where: string) => Promise<void>): Promise<void> {
    for (const width of widths) {
      for (const colorScheme of themes) {
        await page.setViewportSize({ width, height: width < 1000 ? 700 : 800 })
        await page.emulateMedia({ colorScheme })
        await action(`${width} px, ${colorScheme}`)
      }
    }
  }

  /** Its first paint waits for the page and at most two style sheets, for no script. */
  async function openSoon(visitor: Visitor, path: string, where: string): Promise<void> {
    await visitor.open(path)
    const painted = `performance.getEntriesByName('first-contentful-paint').length`
    await until('it is painted', async () => (await visitor.page.evaluate(painted)) === 1)
    const blocking = await visitor.page.evaluate<string[]>(
      `performance.getEntriesByType('resource').filter(({ renderBlockingStatus }) => renderBlockingStatus === 'blocking')
        .map(({ name }) => new URL(name).pathname)`,
    )
    assert.match(blocking.join(), /^[^,]+\.css(,[^,]+\.css)?$/, `${path}, ${where}`)
  }

  /** The options that are not what a finger meets in their middle. */
  const covered = (page: Page) =>
    page.evaluate<string[]>(`[...document.querySelectorAll('[role="option"]')].filter((option) => {
      const { left, top, width, height } = option.getBoundingClientRect()
      return document.elementFromPoint(left + width / 2, top + height / 2) !== option
    }).map((option) => option.textContent)`)

  for (const [place, path] of Object.entries({
    'the first page': '/',
    'the look-up page': '/dashboard/look-up',
    'the look-up page with results': '/dashboard/look-up?q=sun',
    'the top bar': '/dashboard/keys',
  })) {
    it(`A collector can step through all suggestions without losing sight of the field: ${place}`, async () => {
      const asked = path === '/' ? here.visit.bind(here) : here.visitShop.bind(here)
      await asked(async (visitor) => {
        const { page } = expectPictures(visitor)
        await everywhere(visitor, async (where) => {
          await visitor.open(path)
          const field = page.getByLabel('Card name', { exact: true })
          // Letter by letter, a slow machine would show the names for the first ones, too.
          await field.fill('star')
          const options = page.locator('[role="option"]')
          await options.first().waitFor()
          // As many as there is room for.
          const shown = await options.count()
          assert.ok(shown >= names.length - 3, `${where}: ${shown} names`)
          assert.deepEqual(await covered(page), [], `${where}: covered`)
          const scrolled = await page.evaluate('scrollY')
          for (const name of names.slice(0, shown)) {
            await page.keyboard.press('ArrowDown')
            await page.getByRole('option', { name: `Star ${name}`, selected: true }).waitFor()
            const { y, height } = (await field.boundingBox())!
            assert.ok(y >= 0 && y + height <= 700, `${where}: the field is out of view at ${name}`)
            assert.equal(await page.evaluate('scrollY'), scrolled, `${where}: the page has scrolled at ${name}`)
          }
          await page.keyboard.press('Enter')
          await page.waitForURL((url) => url.searchParams.get('q') === `Star ${names[shown - 1]}`)
        })
      })
    })
  }

  it('The set field suggests only sets of the chosen game, and takes over the chosen suggestion', async () => {
    await here.visit(async (visitor) => {
      const { page } = expectPictures(visitor)
      await visitor.open('/look-up')
      const field = page.getByLabel('Set', { exact: true })
      await page.getByLabel('Game', { exact: true }).selectOption('pokemon')
      await field.pressSequentially('b')
      const options = page.getByRole('option').filter({ visible: true })
      await page.getByRole('option', { name: 'Base Set' }).waitFor()
      assert.deepEqual(await options.allInnerTexts(), ['Base Set'])
      assert.deepEqual(await covered(page), [])
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      assert.equal(await field.inputValue(), 'Base Set')
      await visitor.press('Search')
      await page.getByRole('heading', { name: 'Base Set' }).waitFor()
      assert.equal((await visitor.rows('Cards found')).length, 1 + 2)
    })
  })

  for (const javaScriptEnabled of [true, false]) {
    it(`A picture shifts nothing as it loads, and a missing one gets a placeholder, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      await here.visitShop(
        async (visitor) => {
          const { page } = expectPictures(visitor)
          const paths = ['/', '/dashboard/look-up?q=sun', '/dashboard/look-up?game=mtg&set=lea&sort=-price']
          for (const path of [...paths, `/dashboard/cards/${stars[1]!.id}`, `/dashboard/cards/${suns[3]!.id}`]) {
            await everywhere(visitor, async (where) => {
              await openSoon(visitor, path, where)
              // Without scripts it never hears of any.
              await page.evaluate(watch)
              // Lazy ones come into view.
              for (let i = 0; i < 6; i++) {
                await page.mouse.wheel(0, 800)
                await pause(60)
              }
              await page.waitForLoadState('networkidle')
              const { shift, pictures } = (await page.evaluate(seen)) as Seen
              assert.equal(shift, 0, `${path}, ${where}: it shifts`)
              assert.ok(pictures.length > 0, `${path}, ${where}: no pictures`)
              for (const { width, height, isDrawn } of pictures) {
                assert.ok(Math.abs(width / height - 5 / 7) < 0.02 && width >= 32, `${where}: ${width} × ${height}`)
                assert.ok(isDrawn, `${path}, ${where}: a hole`)
              }
            })
          }
        },
        { javaScriptEnabled },
      )
    })
  }

  it('The columns of a page that arrives slowly do not move', async () => {
    const slow = createServer(async ({ url }, response) => {
      const { status, headers, body } = await send(here.service.pages, url!)
      const half = status === 200 && url!.startsWith('/look-up') ? body.indexOf('<tbody>') : 0
      response.writeHead(status, { 'content-type': `${headers['content-type']}` })
      response.write(body.slice(0, half))
      if (half > 0) await pause(1000)
      response.end(body.slice(half))
    })
    await new Promise<void>((listening) => slow.listen(0, '127.0.0.1', listening))
    const baseURL = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`
    try {
      await here.visit(
        async (visitor) => {
          const { page } = expectPictures(visitor)
          await openSoon(visitor, '/look-up?q=sun', 'slowly')
          await page.evaluate(watch)
          assert.equal(((await page.evaluate(seen)) as Seen).shift, 0)
        },
        { baseURL },
      )
    } finally {
      slow.closeAllConnections()
      slow.close()
    }
  })

  it('A card’s picture, name, price, change and chart fit in the first screen', async () => {
    await here.visitShop(async (visitor) => {
      const { page } = expectPictures(visitor)
      for (const [width, height] of [
        [390, 844],
        [1280, 800],
      ] as const) {
        await page.setViewportSize({ width, height })
        await visitor.open(`/dashboard/cards/${stars[1]!.id}`)
        const parts = [
          page.getByRole('img', { name: 'Picture of Star Bay' }),
          visitor.heading('Star Bay'),
          page.getByText('6.00', { exact: true }).first(),
          page.getByLabel('Changes'),
          page.getByRole('img', { name: 'Price history', exact: true }),
        ]
        for (const part of parts) {
          const box = (await part.boundingBox())!
          assert.ok(box.y + box.height <= height, `${width} px: ${part} ends at ${box.y + box.height}`)
        }
      }
    })
  })

  it('A search result takes at most two lines on a phone, and its collector number is never covered', async () => {
    await here.visit(async (visitor) => {
      const { page } = expectPictures(visitor)
      await page.setViewportSize({ width: 320, height: 700 })
      await visitor.open('/look-up?q=sun+of')
      const rows = page.getByRole('table', { name: 'Cards found' }).locator('tbody tr')
      assert.equal(await rows.count(), suns.length)
      for (const row of await rows.all()) {
        assert.ok((await row.boundingBox())!.height < 75)
        const number = row.locator('td span').first()
        const [own, price] = [(await number.boundingBox())!, (await row.locator('td.figure').boundingBox())!]
        assert.ok(own.x + own.width <= price.x, 'the number is under the price')
      }
    })
  })
})

interface Seen {
  readonly shift: number
  readonly pictures: readonly { readonly width: number; readonly height: number; readonly isDrawn: boolean }[]
}

/** For the page to evaluate before: layout shifts from its beginning on. */
const watch = `{
  globalThis.shifts = []
  new PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true })
}`

/** For the page to evaluate: shifts, and each picture: whether it came, or the back of a card is in its place. */
const seen = `(() => {
  const pictures = [...document.querySelectorAll('img.picture')].map((image) => {
    const { width, height } = image.getBoundingClientRect()
    const back = getComputedStyle(image, image.naturalWidth > 0 ? null : '::after')
    return { width, height, isDrawn: image.naturalWidth > 0 || back.backgroundImage.includes('gradient') }
  })
  return { shift: shifts.reduce((sum, { value }) => sum + value, 0), pictures }
})()`
