/** Looking cards up in a browser: hits, a card's prices and how they moved, and the bound on look-ups. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixtureSnapshot } from '../support/fixture.ts'
import { Person } from '../support/person.ts'
import { skipWithout } from '../support/programs.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { type DrawnInk, drawnInk } from './drawn-ink.ts'
import { PagesHere } from './pages-here.ts'

const markup = '<script>alert(1)</script> & "co"'
const longName = 'Dragon '.repeat(15).trim()
const odd = [
  { id: 'mtg-lea-x1', game: 'mtg', name: markup, setCode: 'lea', rarity: '<b>' },
  { id: 'mtg-lea-x2', game: 'mtg', name: longName, setCode: 'lea' },
]
const charizard = '/dashboard/cards/pokemon-base1-004'

describe('in a browser', { skip: skipWithout('chromium') }, () => {
  const snapshots = fixtureSnapshot()
  // The newest date of the data stays what it is: a window of it ends there.
  const oneDay = `date,id,market,low,high\n2026-11-20,${odd[1]!.id},5,4,8\n`
  snapshotOf({ 'cards/odd.ndjson': odd, 'history/odd.csv': oneDay }, snapshots)
  const here = new PagesHere(snapshots)

  it('the hits have set, number, rarity and market price, and lead to the card', async () => {
    await here.visitShop(async (visitor) => {
      await visitor.lookUp('charizard')
      await visitor.heading('Look up').waitFor()
      const [head, hit] = await visitor.rows('Cards found')
      assert.deepEqual(head, ['Card', 'Game', 'Set', 'Number', 'Rarity', 'Market price'])
      assert.deepEqual(hit, ['Charizard', 'Pokémon', 'Base Set', '004', 'Rare Holo', '350.13'])
      assert.equal(await visitor.page.getByLabel('Card name', { exact: true }).inputValue(), 'charizard')
      await visitor.page.getByRole('link', { name: 'Charizard', exact: true }).click()
      await visitor.heading('Charizard').waitFor()
      assert.equal(new URL(visitor.page.url()).pathname, charizard)
    })
  })

  it('a card has its prices, by condition and grade, and a chart of its days with their table', async () => {
    await here.visitShop(async (visitor) => {
      await visitor.open(`${charizard}?period=all`)
      assert.deepEqual((await visitor.rows('All prices'))[1], ['Market', '350.13'])
      assert.deepEqual((await visitor.rows('Conditions'))[1], ['Near mint', '350.12'])
      assert.deepEqual((await visitor.rows('Graded'))[1], ['PSA 10', '12,000.00'])
      const chart = visitor.page.getByRole('img', { name: 'Price history', exact: true })
      const { width, height } = (await chart.locator('canvas').boundingBox())!
      assert.ok(width > 300 && height > 100, `${width} × ${height}`)
      const [head, newest] = await visitor.rows('Price history')
      assert.deepEqual(head, ['Date', 'Market', 'Low', 'High'])
      assert.deepEqual(newest, ['19 Nov 2026', '6.01', '6.00', '6.00'])
    })
  })

  it('a card of one day has a dot in the middle of its chart, and that one date below', async () => {
    await here.visitShop(async (visitor) => {
      await visitor.open(`/dashboard/cards/${odd[1]!.id}`)
      assert.equal((await visitor.rows('Price history')).length, 1 + 1)
      const chart = visitor.page.getByRole('img', { name: 'Price history', exact: true })
      await chart.locator('canvas').waitFor()
      const ink = (await visitor.page.evaluate(drawnInk)) as DrawnInk
      const { middle, line, labels } = ink
      const reported = JSON.stringify(ink)
      assert.ok(line.to - line.from >= 4 && line.to - line.from < 16, `a dot: ${reported}`)
      assert.ok(Math.abs((line.from + line.to) / 2 - middle) < 2, `in the middle: ${reported}`)
      assert.ok(Math.abs((labels.from + labels.to) / 2 - middle) < 8, `its date below: ${reported}`)
      assert.ok(labels.to - labels.from < 60, `and no other one: ${reported}`)
    })
  })

  it('the four periods are links, of which the chosen one is marked', async () => {
    await here.visitShop(async (visitor) => {
      await visitor.open(charizard)
      const periods = visitor.page.getByRole('navigation', { name: 'Period' })
      assert.deepEqual(await periods.getByRole('link').allInnerTexts(), ['30 days', '90 days', '1 year', 'all'])
      for (const [label, days] of [
        ['30 days', 3],
        ['1 year', 5],
        ['all', 6],
        ['90 days', 4],
      ] as const) {
        await periods.getByRole('link', { name: label, exact: true }).click()
        await visitor.page.locator('[aria-current="true"]', { hasText: label }).waitFor()
        assert.equal((await visitor.rows('Price history')).length, 1 + days, label)
      }
    })
  })

  it('a missing value is “unknown”, and a plan without histories sees which has them', async () => {
    await here.visitShop(
      async (visitor) => {
        await visitor.open('/dashboard/cards/pokemon-base1-x')
        for (const [, price] of (await visitor.rows('All prices')).slice(1)) assert.equal(price, 'unknown')
        await visitor.page.getByText('come with the Trader plan and above').waitFor()
        assert.equal(await visitor.page.getByRole('img', { name: 'Price history' }).count(), 0)
        await visitor.open('/dashboard')
        await visitor.lookUp('unknown all')
        assert.equal((await visitor.rows('Cards found'))[1]!.at(-1), 'unknown')
      },
      { plan: 'free' },
    )
  })

  it('names in Japanese, of 100 characters, and what looks like markup, are shown as they are', async () => {
    await here.visitShop(async (visitor) => {
      for (const [asked, name] of [
        ['ザード', 'リザードン'],
        ['dragon', longName],
        ['script alert', markup],
      ] as const) {
        await visitor.lookUp(asked)
        await visitor.page.getByRole('link', { name, exact: true }).click()
        await visitor.heading(name).waitFor()
        await visitor.page.getByRole('link', { name: 'Look up another card' }).click()
        await visitor.heading('Look up').waitFor()
      }
      await visitor.lookUp(markup)
      assert.equal(await visitor.page.getByLabel('Card name', { exact: true }).inputValue(), markup)
    })
  })

  it('hits go on by pages', async () => {
    await here.visitShop(async (visitor) => {
      await visitor.lookUp('forest')
      assert.equal((await visitor.rows('Cards found')).length, 1 + 20)
      await visitor.page.getByRole('link', { name: 'Next page' }).click()
      await visitor.page.getByText('21 to 25 shown').waitFor()
      await visitor.page.getByRole('link', { name: 'Previous page' }).click()
      await visitor.page.getByText('1 to 20 shown').waitFor()
    })
  })

  it('the 61st look-up of a minute is answered by a page that says when to go on', async () => {
    await here.visitShop(async (visitor, { name }) => {
      const person = await Person.signedIn(here.service.pages, here.storeDir, name)
      await Promise.all(Array.from({ length: 59 }, () => person.open('/dashboard/look-up?q=forest')))
      await visitor.lookUp('charizard')
      await visitor.page.getByRole('table', { name: 'Cards found' }).waitFor()
      visitor.announce(429)
      const refused = visitor.page.waitForResponse((response) => response.status() === 429)
      await visitor.lookUp('forest')
      assert.match((await refused).headers()['retry-after'] ?? '', /^[1-9]\d?$/)
      await visitor.page.getByRole('alert').filter({ hasText: 'can look up 60 cards a minute' }).waitFor()
      await visitor.open(charizard, 429)
      await visitor.page.getByText('can look up 60 cards a minute').waitFor()
    })
  })
})
