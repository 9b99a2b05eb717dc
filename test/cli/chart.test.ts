/** Usage as lines with bars. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chart } from '../../src/cli/accounts/chart.ts'

describe('a chart', () => {
  const bars: readonly (readonly [requests: number, bar: string])[] = [
    [0, ''],
    [1, '▏'],
    [25, '█'],
    [28, '█▏'],
    [500, '█'.repeat(20)],
    [1000, '█'.repeat(40)],
  ]
  for (const [requests, bar] of bars) {
    it(`draws ${requests} of 1000 as ${bar || 'nothing'}`, () => {
      const lines = chart([
        { date: '2026-11-19', requests, plan: 'free' },
        { date: '2026-11-20', requests: 1000, plan: 'trader' },
      ]).split('\n')
      assert.equal(lines[1], `2026-11-19  ${String(requests).padStart(8)}  ${bar.padEnd(40)}  free`)
      assert.equal(lines.at(-1), `total       ${String(requests + 1000).padStart(8)}`)
    })
  }

  it('has the days without requests between others', () => {
    const text = chart([
      { date: '2026-11-28', requests: 1, plan: 'free' },
      { date: '2026-12-01', requests: 1, plan: 'free' },
    ])
    assert.deepEqual(text.match(/^\d{4}-\d\d-\d\d/gm), ['2026-11-28', '2026-11-29', '2026-11-30', '2026-12-01'])
  })
})
