/** What is noted of counts that are to be sent to other servers, and when what was sent of them goes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { UnsentBlocks } from '../../src/accounts/fleet/unsent-blocks.ts'
import { endOfMonthKept, monthOf, monthsOf } from '../../src/accounts/fleet/usage-scripts.ts'
import { createAccount } from '../../src/accounts/registry.ts'
import { dateOfDay, dayMs, dayOfDate } from '../../src/calendar.ts'
import { usageDaysKept } from '../../src/limits.ts'
import { reserveCounts } from '../../src/quota/cells.ts'
import { Counts } from '../../src/quota/counts.ts'
import { Flusher } from '../../src/quota/flusher.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'

describe('a month', () => {
  const days = fc.integer({ min: dayOfDate('1990-01-01'), max: dayOfDate('2090-01-01') })

  it('is one of those of some days if one of them is in it', () => {
    fc.assert(
      fc.property(days, fc.integer({ min: 0, max: 500 }), (first, more) => {
        const naive = new Set(Array.from({ length: more + 1 }, (_, i) => dateOfDay(first + i).slice(0, 7)))
        assert.deepEqual(monthsOf(first, first + more), [...naive])
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

describe('counts that are to be sent on', () => {
  const day = dayOfDate('2026-11-30')

  function counting() {
    const store = new Store(temporaryFolder())
    for (let i = 0; i < 3; i++) createAccount(store, `account ${i}`, 'business', 0)
    const shared = reserveCounts(false, true)
    const time = { wall: day * dayMs, steady: 0 }
    const clocks = { wall: () => time.wall, steady: () => time.steady }
    const counts = new Counts(shared, store, clocks.wall)
    const take = (account: number) => counts.take({ account, limit: 1000 }, time.wall)
    return { store, time, take, flusher: new Flusher(shared, store, clocks), unsent: new UnsentBlocks(shared, store) }
  }

  const dated = (found: ReturnType<UnsentBlocks['take']>) =>
    found.map(({ day, block, counts }) => [dateOfDay(day), block, ...new Uint32Array(Uint8Array.from(counts).buffer)])

  it('are noted when the file has them, once', async () => {
    const { store, take, flusher, unsent } = counting()
    for (const account of [0, 2, 2]) take(account)
    unsent.look(day)
    assert.ok(unsent.isEmpty, 'the file does not have them')
    flusher.flush()
    unsent.look(day)
    assert.deepEqual(dated(unsent.take(10, day)), [['2026-11-30', 0, 1, 0, 2]])
    flusher.flush()
    unsent.look(day)
    assert.ok(unsent.isEmpty)
    await store.close()
  })

  it('are noted if a thread carries them for another day that takes their cell', async () => {
    const { store, time, take, unsent } = counting()
    take(1)
    time.wall += 2 * dayMs
    take(1)
    unsent.look(day + 2)
    assert.deepEqual(dated(unsent.take(10, day + 2)), [['2026-11-30', 0, 0, 1]])
    await store.close()
  })

  it('are all those of some days on, when all are asked for, in pieces', async () => {
    const { store, unsent } = counting()
    store.write(() => {
      for (let i = 0; i < 5; i++) store.addUsage(day - i, 0, i + 1)
      store.addUsage(day - usageDaysKept, 0, 9)
    })
    unsent.catchUp(0)
    const found: unknown[] = []
    while (!unsent.isEmpty) found.push(...dated(unsent.take(2, day)))
    assert.deepEqual(
      found,
      [5, 4, 3, 2, 1].map((requests) => [dateOfDay(day + 1 - requests), 0, requests]),
    )
    await store.close()
  })
})
