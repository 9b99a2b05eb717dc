/** The quota's contract, held by both ways of counting: in a process alone, and with leases of a store that servers share. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, describe, it, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { dayMs, dayOfMs } from '../../src/calendar.ts'
import { plans } from '../../src/plans.ts'
import { ReferenceQuota } from '../reference/quota.ts'
import { amount, someOf } from '../support/amount.ts'
import { skipWithout } from '../support/programs.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'
import { believe, startRedis } from '../support/redis.ts'
import type { Burst } from './quota-thread.ts'
import { TestedQuota } from './quotas.ts'

const seed = Number(process.env['SEED'] ?? 12)
const noon = Date.parse('2026-11-21T12:00:00Z')
const midnight = (dayOfMs(noon) + 1) * dayMs
const { free, trader } = plans
const noRedis = skipWithout('redis-server')
const redis = noRedis ? undefined : await startRedis()
if (redis !== undefined) await believe(redis)
after(() => redis?.stop())

const countDown = (from: number, count: number) => Array.from({ length: count }, (_, i) => Math.max(from - 1 - i, -1))

interface Kind {
  readonly name: string
  readonly quotaStore: string | undefined
  readonly skip: string | false
  /** Sequences drawn. */
  readonly rounds: number
}

const kinds: readonly Kind[] = [
  { name: 'Counts', quotaStore: undefined, skip: false, rounds: amount(4, 20) },
  {
    name: 'LeasedCounts',
    quotaStore: redis?.url,
    skip: noRedis,
    rounds: amount(1, 5),
  },
]

/**
 * Days. Even and odd: a day shares its cells with every second other. Over 2,047: the cells' own sign for a day comes round.
 */
const jumps = [1, 199, 365, 2046, 200, -1, 2047 * 3 + 1, -200, 2]

async function startThreads({ shared, storeDir }: TestedQuota): Promise<Worker[]> {
  const file = new URL('./quota-thread.ts', import.meta.url)
  const threads = [0, 1].map(() => new Worker(file, { workerData: { shared, storeDir }, execArgv: [] }))
  await Promise.all(threads.map((thread) => once(thread, 'message')))
  return threads
}

/** The results of each thread's requests. */
function floodFrom(threads: readonly Worker[], burst: Burst): Promise<number[][]> {
  return Promise.all(
    threads.map(async (thread) => {
      const answer = once(thread, 'message')
      thread.postMessage(burst)
      return (await answer)[0] as number[]
    }),
  )
}

async function stopThreads(threads: readonly Worker[]): Promise<void> {
  const ended = threads.map((thread) => once(thread, 'exit'))
  for (const thread of threads) thread.postMessage('stop')
  await Promise.all(ended)
}

for (const { name, quotaStore, skip, rounds } of kinds) {
  const open = async (test: TestContext, accounts = 1) => {
    const tested = await TestedQuota.open(accounts, noon, quotaStore)
    test.after(() => tested.close())
    return tested
  }

  /** Both asked for the same; what they have counted, by account and day, is in the store in the end. */
  async function besideReference(tested: TestedQuota) {
    const reference = new ReferenceQuota()
    const days = new Set<number>()
    const take = async (account: number, given = false) => {
      const { day } = tested
      days.add(day)
      const allowance = tested.allowance(account)
      const left = await tested.take(allowance)
      assert.equal(left, reference.take(account, day, tested.limit(account)), `account ${account} on day ${day}`)
      // A lease knows what is left of a day once it has been asked for.
      assert.equal(tested.remaining(account), reference.remaining(account, day, tested.limit(account)))
      if (!given || left < 0) return
      tested.quota.refund(account, day)
      reference.giveBack(account, day)
    }
    const assertStored = (accounts: number) => {
      for (const day of days) {
        for (let account = 0; account < accounts; account++) {
          assert.equal(tested.stored(account, day), reference.counted(account, day), `account ${account} on day ${day}`)
        }
      }
    }
    return { reference: reference, take, assertStored }
  }

  describe(name, { skip }, () => {
    it('lets exactly as many through as the limit says, and tells each what is left', async (test) => {
      const tested = await open(test, 2)
      for (const account of [0, 1]) {
        assert.equal(tested.remaining(account), free.requestsPerDay)
        const lefts: number[] = []
        for (let i = 0; i < free.requestsPerDay + 5; i++) lefts.push(await tested.take(tested.allowance(account)))
        assert.deepEqual(lefts, countDown(free.requestsPerDay, lefts.length))
        assert.equal(tested.remaining(account), 0)
        assert.equal(tested.stored(account, tested.day), free.requestsPerDay)
      }
    })

    it('takes back what was counted, of a quota that is used up too', async (test) => {
      const tested = await open(test)
      const { reference, take, assertStored } = await besideReference(tested)
      for (let i = 0; reference.remaining(0, tested.day, free.requestsPerDay) > 0; i++) await take(0, i % 3 === 0)
      await take(0)
      for (let i = 0; i < 3; i++) {
        tested.quota.refund(0, tested.day)
        assert.equal(tested.remaining(0), 1)
        assert.equal(await tested.take(tested.allowance(0)), 0)
        assert.equal(await tested.take(tested.allowance(0)), -1)
      }
      assertStored(1)
    })

    it('begins a new count at midnight, and takes back on the day that was counted on', async (test) => {
      const tested = await open(test)
      const { take, assertStored } = await besideReference(tested)
      tested.wall = midnight - 1
      for (let i = 0; i < free.requestsPerDay + 1; i++) await take(0)
      tested.wall = midnight
      await take(0)
      tested.wall = midnight - 1
      await take(0)
      tested.wall = midnight
      await take(0, true)
      await take(0)
      assertStored(1)
      await tested.take(tested.allowance(0))
      const counted = tested.stored(0, tested.day)
      tested.wall = midnight + dayMs
      tested.quota.refund(0, tested.day - 1)
      assert.equal(tested.remaining(0), free.requestsPerDay)
      assert.equal(tested.stored(0, tested.day - 1), counted - 1)
    })

    for (const jump of quotaStore === undefined ? jumps : someOf(jumps, 2)) {
      it(`reopens nothing when the clock is set by ${jump} days, and back`, async (test) => {
        const tested = await open(test, 2)
        const { take, assertStored } = await besideReference(tested)
        // The one is used up, the other goes on where it was.
        for (let i = 0; i < free.requestsPerDay; i++) await take(0)
        for (let i = 0; i < 60; i++) await take(1)
        for (const written of [true, false]) {
          if (written) assertStored(2)
          tested.wall = noon + jump * dayMs
          for (const account of [0, 1]) for (let i = 0; i < 5; i++) await take(account)
          tested.wall = noon
          for (const account of [0, 1]) for (let i = 0; i < 40; i++) await take(account)
        }
        assertStored(2)
      })
    }

    it('follows a limit that is raised, lowered below what was counted, and raised again', async (test) => {
      const tested = await open(test)
      const { reference, take, assertStored } = await besideReference(tested)
      for (const [plan, takes] of [
        ['free', free.requestsPerDay + 1],
        ['trader', 300],
        ['free', 3],
        ['trader', 100],
      ] as const) {
        const counted = reference.counted(0, tested.day)
        await tested.setPlan(0, plan, Math.max(plans[plan].requestsPerDay - counted, 0))
        for (let i = 0; i < takes; i++) await take(0)
      }
      assert.equal(reference.counted(0, tested.day), free.requestsPerDay + 400)
      assertStored(1)
    })

    it('is exact on several threads at once, some of it given back meanwhile', async (test) => {
      const tested = await open(test)
      const limit = trader.requestsPerDay
      await tested.setPlan(0, 'trader', limit)
      const threads = await startThreads(tested)
      const first = await floodFrom(threads, { wall: tested.wall, limit, times: limit, givenBack: Number.NaN })
      const through = first.flat().filter((left) => left >= 0)
      assert.deepEqual(
        through.sort((a, b) => b - a),
        countDown(limit, limit),
        'each number once',
      )
      assert.ok(first.flat().every((left) => left >= -1))
      assert.equal(tested.stored(0, tested.day), limit)

      tested.wall += dayMs
      const lefts = await floodFrom(threads, { wall: tested.wall, limit, times: limit, givenBack: 5 })
      let kept = lefts.flatMap((taken) => taken.filter((left, i) => left >= 0 && i % 5 !== 0)).length
      while ((await tested.take(tested.allowance(0))) >= 0) kept++
      assert.equal(kept, limit)
      assert.equal(tested.stored(0, tested.day), limit)
      await stopThreads(threads)
    })

    for (let round = 0; round < rounds; round++) {
      it(`equals the reference in a drawn sequence, days forth and back (seed ${seed + round})`, async (test) => {
        const random = randomFrom(seed + round)
        const tested = await open(test, 3)
        const { take, assertStored } = await besideReference(tested)
        for (let step = 0; step < 60; step++) {
          if (random() < 0.3) tested.wall = noon + drawFrom(random, [0, 0, 1, 2, 3, -1, 199]) * dayMs
          if (random() < 0.1) assertStored(3)
          const account = drawBelow(random, 3)
          const given = random() < 0.3
          for (let takes = drawBelow(random, 80); takes >= 0; takes--) await take(account, given)
        }
        assertStored(3)
      })
    }
  })
}
