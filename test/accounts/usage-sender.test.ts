/** Counts that are to be sent to other servers: when they are recorded, and when they are dropped. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { endOfMonthKept, monthOf, monthsOf } from '../../src/accounts/fleet/usage-scripts.ts'
import { Flusher } from '../../src/accounts/flusher.ts'
import { createAccount } from '../../src/accounts/registry.ts'
import { dateOfDay, dayMs, dayOfDate } from '../../src/calendar.ts'
import { usageDaysKept } from '../../src/limits.ts'
import { reserveCounts } from '../../src/quota/counters.ts'
import { Counts } from '../../src/quota/counts.ts'
import { Store } from '../../src/store/store.ts'
import type { UnsentBlock } from '../../src/store/tables.ts'
import { temporaryFolder } from '../support/command.ts'

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

describe('counts that are to be sent on', () => {
  const day = dayOfDate('2026-11-30')

  function counting() {
    const store = new Store(temporaryFolder())
    for (let i = 0; i < 3; i++) createAccount(store, `account ${i}`, 'business', 0)
    store.write(() => store.setSetting('copyOf', { id: 'abc', number: 1, mark: '1', whole: true }))
    const shared = reserveCounts(false)
    const time = { wall: day * dayMs, monotonic: 0 }
    const clocks = { wall: () => time.wall, monotonic: () => time.monotonic }
    const counts = new Counts(shared, store, clocks.wall)
    const take = (account: number) => counts.take({ account, limit: 1000 }, time.wall)
    return { store, time, take, flusher: new Flusher(shared, store, clocks) }
  }

  const dated = (found: readonly UnsentBlock[]) =>
    found.map(({ day, block, counts }) => [dateOfDay(day), block, ...new Uint32Array(Uint8Array.from(counts).buffer)])

  it('are noted when the file has them, once', async () => {
    const { store, take, flusher } = counting()
    for (const account of [0, 2, 2]) take(account)
    assert.deepEqual(store.unsentUsage(10), [], 'the file does not have them')
    flusher.flush()
    const found = store.unsentUsage(10)
    assert.deepEqual(dated(found), [['2026-11-30', 0, 1, 0, 2]])
    store.markUsageSent(found)
    flusher.flush()
    assert.deepEqual(store.unsentUsage(10), [])
    await store.close()
  })

  it('are noted if a thread carries them for another day that takes their cell', async () => {
    const { store, time, take } = counting()
    take(1)
    time.wall += 2 * dayMs
    take(1)
    assert.deepEqual(dated(store.unsentUsage(10)), [['2026-11-30', 0, 0, 1]])
    await store.close()
  })

  it('stay noted if they were counted on while they were sent', async () => {
    const { store, take, flusher } = counting()
    take(0)
    flusher.flush()
    const found = store.unsentUsage(10)
    take(0)
    flusher.flush()
    store.markUsageSent(found)
    assert.deepEqual(dated(store.unsentUsage(10)), [['2026-11-30', 0, 2]])
    await store.close()
  })

  it('are all those of some days on, when all are asked for, in pieces, the latest first', async () => {
    const { store } = counting()
    store.write(() => {
      for (let i = 0; i < 5; i++) store.addUsage(day - i, 0, i + 1)
    })
    const takeAll = () => {
      const found: unknown[] = []
      for (let some = store.unsentUsage(2); some.length > 0; some = store.unsentUsage(2)) {
        found.push(...dated(some))
        store.markUsageSent(some)
      }
      return found
    }
    const onDay = (requests: number) => [dateOfDay(day + 1 - requests), 0, requests]
    assert.deepEqual(takeAll(), [1, 2, 3, 4, 5].map(onDay))
    store.markUnsent(day - 2)
    assert.equal(store.firstUnsentDay(), day - 2)
    assert.deepEqual(takeAll(), [1, 2, 3].map(onDay))
    await store.close()
  })
})
