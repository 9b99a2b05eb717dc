/** Requests that wait for the shared quota store: what an answer costs, and when waiting ends. The lease manager is played. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { BroadcastChannel } from 'node:worker_threads'
import { dayOfMs } from '../../src/calendar.ts'
import { pack, tagOf } from '../../src/quota/counters.ts'
import { LeasedCounts } from '../../src/quota/leases/leased-counts.ts'
import { type Answered, denials, leaseStateCounters, reserveLeases } from '../../src/quota/leases/shared-state.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'

const noon = Date.parse('2026-11-21T12:00:00Z')
const tag = tagOf(dayOfMs(noon))
const store = new Store(temporaryFolder())
const shared = reserveLeases()
const cells = leaseStateCounters(shared)
const channel = new BroadcastChannel(shared.channel)
channel.unref()
after(async () => {
  channel.close()
  await store.close()
})

/** A thread's counts, and how often it has tried to take. */
function countedTakes(waitMsMax?: number) {
  const counts = new LeasedCounts(shared, store, () => noon, waitMsMax)
  const take = counts.take.bind(counts)
  const work = { counts, takes: 0 }
  counts.take = (allowance, now) => {
    work.takes++
    return take(allowance, now)
  }
  return work
}

const waiting = (counts: LeasedCounts, accounts: number, requests: number) =>
  Array.from({ length: requests }, (_, i) => counts.resolve({ account: i % accounts, limit: 100_000 }))

/** As the lease manager does: a grant, then the word that there is an answer. */
function grant(account: number, requests: number): void {
  Atomics.store(cells.available, account, pack(tag, 100_000))
  Atomics.store(cells.left, account, pack(tag, requests))
  channel.postMessage({ account } satisfies Answered)
}

describe('requests that wait', () => {
  for (const [requests, accounts, granted] of [
    [16_000, 1, 100],
    [16_000, 1, 16_000],
    [16_000, 160, 100],
    [2000, 2000, 1],
  ] as const) {
    it(`${requests} for ${accounts} accounts are settled by grants of ${granted}, each looked at about once`, async (context) => {
      const work = countedTakes()
      let settled = 0
      const all = waiting(work.counts, accounts, requests).map((answer) =>
        answer.then(({ left }) => {
          assert.ok(left >= 0)
          settled++
        }),
      )
      const busyBefore = performance.eventLoopUtilization()
      const answers = requests / granted
      for (let i = 0; i < answers; i++) {
        grant(i % accounts, granted)
        // The next grant comes when this one is used up, as with a real lease manager.
        while (settled < Math.min((i + 1) * granted, requests)) await new Promise(setImmediate)
      }
      await Promise.all(all)
      const { active } = performance.eventLoopUtilization(busyBefore)
      work.counts.close()
      context.diagnostic(`${work.takes} takes, ${Math.round(active)} ms busy`)
      // One each; one more for an answer that leaves some waiting, for the first of an account, and for each tick.
      const ticks = Math.ceil(active / 100) + 2
      assert.ok(work.takes <= requests + answers + accounts * (1 + ticks), `${work.takes} takes`)
    })
  }
})

it('refused, all of an account are answered at once, and no other account is looked at', async () => {
  const work = countedTakes()
  const refused = Array.from({ length: 50 }, () => work.counts.resolve({ account: 20_001, limit: 200 }))
  let others = 0
  for (let i = 0; i < 50; i++) {
    work.counts.resolve({ account: 20_002, limit: 200 }).then(() => others++)
  }
  Atomics.store(cells.denial, 20_001, pack(tag, denials.exhausted))
  channel.postMessage({ account: 20_001 } satisfies Answered)
  assert.ok((await Promise.all(refused)).every(({ left }) => left === -1))
  assert.equal(others, 0)
  work.counts.close()
})

it('without an answer, each is refused as unavailable when its own time is over, in order', async () => {
  const waitMs = 800
  const laterMs = 400
  const work = countedTakes(waitMs)
  const start = performance.now()
  const ended: { order: number; ms: number }[] = []
  const ask = (order: number) =>
    work.counts.resolve({ account: 20_003, limit: 200 }).then(({ left }) => {
      assert.equal(left, -2)
      ended.push({ order, ms: performance.now() - start })
    })
  const first = [ask(0), ask(1)]
  await new Promise((resolve) => setTimeout(resolve, laterMs))
  const later = ask(2)
  await Promise.all(first)
  assert.deepEqual(
    ended.map(({ order }) => order),
    [0, 1],
    'the later one waits on',
  )
  await later
  assert.ok(ended[0]!.ms >= waitMs && ended[2]!.ms >= waitMs + laterMs - 1, JSON.stringify(ended))
  work.counts.close()
})
