/** A card's chart in a browser: its days, by keys, and one day alone. test/web/dashboard.test.ts has prices and tables. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixtureSnapshot } from '../support/fixture.ts'
import { skipWithout } from '../support/programs.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { PagesHere } from './pages-here.ts'

const young = { id: 'mtg-lea-x2', game: 'mtg', name: 'Young', setCode: 'lea' }

/** Columns in CSS pixels from the chart's left edge. */
interface Columns {
  readonly from: number
  readonly to: number
}

/** Where a page's first chart has ink, as the browser has drawn it. */
interface DrawnInk {
  /** The middle of the plot. */
  readonly middle: number
  /** Pixels of the line's colour in the plot. */
  readonly line: Columns
  /** Ink below the plot, without the axis of prices at its left, whose lowest label may stand there, too. */
  readonly labels: Columns
}

/** For the page to evaluate. */
const drawnInk = `(() => {
  const canvas = document.querySelector('[data-chart] canvas')
  const [all, plot] = [canvas, document.querySelector('[data-chart] .u-over')].map((part) => part.getBoundingClientRect())
  const scale = canvas.width / all.width
  const left = Math.ceil((plot.left - all.left) * scale)
  const width = canvas.width - left
  const columns = (top, bottom, isInk) => {
    const { data } = canvas.getContext('2d').getImageData(left, top * scale, width, (bottom - top) * scale)
    const found = []
    for (let at = 0; at < data.length; at += 4) {
      if (isInk(...data.subarray(at, at + 4))) found.push((left + ((at / 4) % width)) / scale)
    }
    return { from: found.reduce((a, b) => Math.min(a, b)), to: found.reduce((a, b) => Math.max(a, b)) }
  }
  const accent = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()
  const hexOf = (...rgb) => '#' + rgb.map((value) => value.toString(16).padStart(2, '0')).join('')
  return {
    middle: plot.left - all.left + plot.width / 2,
    line: columns(plot.top - all.top, plot.bottom - all.top, (r, g, b, a) => a === 255 && hexOf(r, g, b) === accent),
    labels: columns(plot.bottom - all.top + 2, all.height, (_r, _g, _b, a) => a > 128),
  }
})()`

describe('A card’s chart in a browser', { skip: skipWithout('chromium') }, () => {
  const snapshots = fixtureSnapshot()
  // The newest date of the data stays what it is: a window of it ends there.
  const oneDay = `date,id,market,low,high\n2026-11-20,${young.id},5,4,8\n`
  snapshotOf({ 'cards/young.ndjson': [young], 'history/young.csv': oneDay }, snapshots)
  const here = new PagesHere(snapshots)

  it('Arrow keys move through the days of a chart, and the page announces the prices of each day', async () => {
    await here.visitShop(async (visitor) => {
      const { page } = visitor
      await visitor.open('/dashboard/cards/pokemon-base1-004?period=all')
      const reported = page.locator('[aria-live="polite"]', { hasText: 'Market' })
      const chart = page.getByRole('img', { name: 'Price history', exact: true })
      const { width, height } = (await chart.locator('canvas').boundingBox())!
      assert.ok(width > 300 && height > 100, `${width} × ${height}`)
      await chart.focus()
      for (const [key, text] of [
        ['ArrowLeft', '14 Nov 2026 · Market 5.00 · Low 0.00 · High 6.00'],
        ['ArrowLeft', '22 Oct 2026 · Market 4.50 · Low 4.00 · High 10,000,000.00'],
        ['ArrowRight', '14 Nov 2026 · Market 5.00 · Low 0.00 · High 6.00'],
        ['Home', '20 Nov 2025 · Market 1.00 · Low 1.00 · High 1.00'],
        ['ArrowLeft', '20 Nov 2025 · Market 1.00 · Low 1.00 · High 1.00'],
        ['End', '19 Nov 2026 · Market 6.01 · Low 6.00 · High 6.00'],
      ] as const) {
        await page.keyboard.press(key)
        await reported
          .getByText(text, { exact: true })
          .or(reported.filter({ hasText: text }))
          .waitFor()
      }
    })
  })

  it('A card with one day of history has a dot and its date in the middle of its chart, in both themes', async () => {
    await here.visitShop(async (visitor) => {
      const { page } = visitor
      await visitor.open(`/dashboard/cards/${young.id}`)
      assert.equal((await visitor.rows('Price history')).length, 1 + 1)
      await page.getByRole('img', { name: 'Price history', exact: true }).locator('canvas').waitFor()
      const ink = (await page.evaluate(drawnInk)) as DrawnInk
      const { middle, line, labels } = ink
      const reported = JSON.stringify(ink)
      assert.ok(line.to - line.from >= 4 && line.to - line.from < 16, `a dot: ${reported}`)
      assert.ok(Math.abs((line.from + line.to) / 2 - middle) < 2, `in the middle: ${reported}`)
      assert.ok(Math.abs((labels.from + labels.to) / 2 - middle) < 8, `its date below: ${reported}`)
      assert.ok(labels.to - labels.from < 60, `and no other one: ${reported}`)
      await page.emulateMedia({ colorScheme: 'dark' })
      // It rejects as long as no pixel has the colour.
      await until('it is drawn in the dark theme’s', () => page.evaluate(drawnInk).then(Boolean, () => false))
    })
  })
})
