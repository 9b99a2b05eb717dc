/** Looking cards up in a browser: hits, a card's prices and how they moved, and the bound on look-ups. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixtureSnapshot } from '../support/fixture.ts'
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
})
