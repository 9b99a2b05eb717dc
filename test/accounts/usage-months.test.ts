/** The months by which servers share usage: which ones some days are in, and how long each is kept. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { endOfMonthKept, monthOf, monthsOf } from '../../src/accounts/fleet/usage-scripts.ts'
import { dateOfDay, dayMs, dayOfDate } from '../../src/calendar.ts'
import { usageDaysKept } from '../../src/limits.ts'

describe('a month', () => {
  const days = fc.integer({ min: dayOfDate('1990-01-01'), max: dayOfDate('2090-01-01') })

  it('is one of those of some days if one of them is in it', () => {
    fc.assert(
      fc.property(days, fc.integer({ min: 0, max: 500 }), (first, more) => {
        const reference = new Set(Array.from({ length: more + 1 }, (_, i) => dateOfDay(first + i).slice(0, 7)))
        assert.deepEqual(monthsOf(first, first + more), [...reference])
      }),
    )
  })

  it('is kept as long as any of its days, and not for much longer', () => {
    fc.assert(
      fc.property(days, (day) => {
        const end = (endOfMonthKept(monthOf(dateOfDay(day))) * 1000) / dayMs
        // A day is shown until it is the first of so many.
        assert.ok(end >= day + usageDaysKept)
        assert.ok(end <= day + usageDaysKept + 33)
      }),
    )
  })
})
