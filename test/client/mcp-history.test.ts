/** Histories as card-prices-mcp shortens them, without a server. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pointsMax, pointsOf, summaryOf } from '../../clients/mcp/src/history-points.ts'
import { amount } from '../support/amount.ts'
import { drawBelow, randomFrom } from '../support/random.ts'

describe('a history', () => {
  it('is at most 60 points, which keep its end and its extremes', () => {
    const random = randomFrom('points')
    const price = () => (random() < 0.2 ? null : drawBelow(random, 10_000) / 100)
    for (let round = 0; round < amount(60, 1000); round++) {
      const days = Array.from({ length: drawBelow(random, 400) }, (_, i) => ({
        date: `day ${i}`,
        market: price(),
        low: price(),
        high: price(),
      }))
      const points = pointsOf(days)
      assert.equal(points.length, Math.min(pointsMax, days.length))
      assert.deepEqual([points.at(-1)?.date, points.at(-1)?.market], [days.at(-1)?.date, days.at(-1)?.market])
      const lowest = (of: readonly { low: number | null }[]) => Math.min(...of.flatMap(({ low }) => low ?? []))
      const highest = (of: readonly { high: number | null }[]) => Math.max(...of.flatMap(({ high }) => high ?? []))
      assert.deepEqual([lowest(points), highest(points)], [lowest(days), highest(days)])
      if (days.length <= pointsMax) assert.deepEqual(points, days)
      const markets = days.flatMap(({ market }) => market ?? [])
      const { first, last, lowest: low } = summaryOf(days)
      assert.deepEqual(
        [first, last, low],
        [markets[0] ?? null, markets.at(-1) ?? null, markets.length === 0 ? null : Math.min(...markets)],
      )
    }
  })
})
