/** The quota's contract, held by both ways of counting: in a process alone, and with leases of a database that servers share. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import pino from 'pino'
import { Flusher } from '../../src/accounts/flusher.ts'
import { createAccount, setPlan } from '../../src/accounts/registry.ts'
import { dayMs, dayOfMs } from '../../src/calendar.ts'
import { type PlanName, plans } from '../../src/plans.ts'
import { PostgresConnection } from '../../src/postgres/connection.ts'
import { DatabasePresence } from '../../src/postgres/presence.ts'
import { reserveCounts, type SharedCounts } from '../../src/quota/counters.ts'
import { Counts } from '../../src/quota/counts.ts'
import { LeaseManager } from '../../src/quota/leases/lease-manager.ts'
import { LeasedCounts } from '../../src/quota/leases/leased-counts.ts'
import { reserveLeases } from '../../src/quota/leases/shared-state.ts'
import { type Allowance, type Quota, refusal } from '../../src/quota/quota.ts'
import { Store } from '../../src/store/store.ts'
import { ReferenceQuota } from '../reference/quota.ts'
import { amount } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'
import { until } from '../support/until.ts'
import { countDown, noon } from './counting.ts'
import type { Burst, Opening } from './quota-thread.ts'

const seed = Number(process.env['SEED'] ?? 12)
const midnight = (dayOfMs(noon) + 1) * dayMs
const { free, trader } = plans
const noPostgres = skipWithout('postgres')
const postgres = await Postgres.start()

/**
 * `jumps` are the days by which a clock is set. Even and odd: a day shares its counter with every second other. Over 2,047: the counters'
 * sign for a day comes round. With leases, a counter of the day before is all that remembers it. `rounds`: sequences drawn, over `days`.
 */
const kinds = [
  {
    name: 'Counts',
    isLeased: false,
    skip: false as const,
    rounds: amount(4, 20),
    jumps: [1, 199, 365, 2046, 200, -1, 2047 * 3 + 1, -200, 2],
    days: [0, 0, 1, 2, 3, -1, 199],
  },
  {
    name: 'LeasedCounts',
    isLeased: true,
    skip: noPostgres,
    rounds: amount(1, 5),
    jumps: [1, -1],
    days: [0, 0, 1],
  },
]

/** Only a fault needs more. */
const triesMax = 100

/** Either way of counting, with all that stands behind it, over new accounts 0, 1, … on the Free plan. */
class TestedQuota {
  readonly storeDir = temporaryFolder()
  readonly shared: SharedCounts
  readonly quota: Quota
  /** ms since 1970; may be set. */
  wall = noon
  readonly manager: LeaseManager | undefined
  readonly #store = new Store(this.storeDir)
  readonly #plans: PlanName[]
  readonly #flusher: Flusher

  constructor(accounts: number, databaseUrl: string | undefined) {
    this.#plans = new Array(accounts).fill('free')
    for (const account of this.#plans.keys()) createAccount(this.#store, `${account}`, 'free', noon)
    const clocks = { wall: () => this.wall, monotonic: () => performance.now() }
    if (databaseUrl === undefined) {
      this.shared = reserveCounts()
      this.quota = new Counts(this.shared, this.#store, clocks.wall)
    } else {
      const leases = reserveLeases()
      const log = pino({ level: 'silent' })
      this.shared = leases
      this.quota = new LeasedCounts(leases, this.#store, clocks.wall)
      this.manager = new LeaseManager(leases, this.#store, {
        connection: new PostgresConnection(databaseUrl),
        presence: new DatabasePresence(log, '', () => ''),
        failOpen: false,
        clocks,
      })
    }
    this.#flusher = new Flusher(this.shared, this.#store, clocks)
  }

  get day(): number {
    return dayOfMs(this.wall)
  }

  allowance(account: number): Allowance {
    return { account, limit: plans[this.#plans[account]!].requestsPerDay }
  }

  /** As a caller does who is refused because a loaded machine's database is late: that counts nothing. */
  async take(account: number): Promise<number> {
    const allowance = this.allowance(account)
    for (let tries = 0; ; tries++) {
      const taken = this.quota.take(allowance, this.wall)
      const left = taken === refusal.pending ? (await this.quota.resolve(allowance)).left : taken
      if (left !== refusal.unavailable || tries === triesMax) return left
      await pause(100)
    }
  }

  remaining(account: number): number {
    return this.quota.remaining(this.allowance(account), this.wall)
  }

  /** Returns when the new limit holds, which it does with what is left. */
  async setPlan(account: number, plan: PlanName, remaining: number): Promise<void> {
    setPlan(this.#store, `${account}`, plan)
    this.#plans[account] = plan
    this.manager?.checkPlans()
    await until(`${remaining} are left on the plan ${plan}`, () => this.remaining(account) === remaining)
  }

  /** The store's content when all counts are written down. */
  stored(account: number, day: number): number {
    this.#flusher.flush()
    return this.#store.usedOn(day, account)
  }

  async close(): Promise<void> {
    this.quota.close()
    await this.manager?.close()
    await this.#store.close()
  }
}

const file = new URL('./quota-thread.ts', import.meta.url)
const threads = [0, 1].map(() => new Worker(file, { execArgv: [] }))
after(() => Promise.all(threads.map((thread) => thread.terminate())))

/** The answer of each thread. */
const inThreads = <Answer>(order: Opening | Burst | 'close'): Promise<Answer[]> =>
  Promise.all(
    threads.map(async (thread) => {
      const answer = once(thread, 'message')
      thread.postMessage(order)
      return (await answer)[0] as Answer
    }),
  )

for (const { name, isLeased, skip, rounds, jumps, days: drawn } of kinds) {
  const open = async (test: TestContext, accounts = 1) => {
    const tested = new TestedQuota(accounts, isLeased ? await postgres.database() : undefined)
    test.after(() => tested.close())
    await tested.manager?.connect()
    return tested
  }

  /** Both asked for the same; what they have counted, by account and day, is in the store in the end. */
  async function besideReference(tested: TestedQuota) {
    const reference = new ReferenceQuota()
    const days = new Set<number>()
    const take = async (account: number, given = false) => {
      const { day } = tested
      const { limit } = tested.allowance(account)
      days.add(day)
      const left = await tested.take(account)
      assert.equal(left, reference.take(account, day, limit), `account ${account} on day ${day}`)
      // A lease knows what is left of a day once it has been asked for.
      assert.equal(tested.remaining(account), reference.remaining(account, day, limit))
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
    return { reference, take, assertStored }
  }

  describe(`The quota of ${name}`, { skip }, () => {
    it('A quota lets exactly as many requests through as its limit, and reports what is left', async (test) => {
      const tested = await open(test, 2)
      for (const account of [0, 1]) {
        assert.equal(tested.remaining(account), free.requestsPerDay)
        const lefts: number[] = []
        for (let i = 0; i < free.requestsPerDay + 5; i++) lefts.push(await tested.take(account))
        assert.deepEqual(lefts, countDown(free.requestsPerDay, lefts.length))
        assert.equal(tested.remaining(account), 0)
        assert.equal(tested.stored(account, tested.day), free.requestsPerDay)
      }
    })

    it('A refund gives a request back, even to a quota that is used up', async (test) => {
      const tested = await open(test)
      const { reference, take, assertStored } = await besideReference(tested)
      for (let i = 0; reference.remaining(0, tested.day, free.requestsPerDay) > 0; i++) await take(0, i % 3 === 0)
      await take(0)
      for (let i = 0; i < 3; i++) {
        tested.quota.refund(0, tested.day)
        assert.equal(tested.remaining(0), 1)
        assert.equal(await tested.take(0), 0)
        assert.equal(await tested.take(0), -1)
      }
      assertStored(1)
    })

    it('A quota begins anew at midnight, and a refund goes to the day of its request', async (test) => {
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
      await tested.take(0)
      const counted = tested.stored(0, tested.day)
      tested.wall = midnight + dayMs
      tested.quota.refund(0, tested.day - 1)
      assert.equal(tested.remaining(0), free.requestsPerDay)
      assert.equal(tested.stored(0, tested.day - 1), counted - 1)
    })

    for (const jump of jumps) {
      it(`A quota that is used up stays used up if the clock is set by ${jump} days and back`, async (test) => {
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

    it('A day’s count goes on when its limit is raised, lowered below the count, and raised again', async (test) => {
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

    it('The counts of several threads are exact, even with refunds between', async (test) => {
      const tested = await open(test)
      const limit = trader.requestsPerDay
      const times = amount(0.6, 1) * limit
      await tested.setPlan(0, 'trader', limit)
      await inThreads({ shared: tested.shared, storeDir: tested.storeDir })
      const first = await inThreads<number[]>({ wall: tested.wall, limit, times, givenBack: Number.NaN })
      const through = first.flat().filter((left) => left >= 0)
      const found = through.sort((a, b) => b - a)
      assert.deepEqual(found, countDown(limit, limit), 'each number once')
      assert.ok(first.flat().every((left) => left >= -1))
      assert.equal(tested.stored(0, tested.day), limit)

      tested.wall += dayMs
      const lefts = await inThreads<number[]>({ wall: tested.wall, limit, times, givenBack: 5 })
      let kept = lefts.flatMap((taken) => taken.filter((left, i) => left >= 0 && i % 5 !== 0)).length
      while ((await tested.take(0)) >= 0) kept++
      assert.equal(kept, limit)
      assert.equal(tested.stored(0, tested.day), limit)
      await inThreads('close')
    })

    for (let round = 0; round < rounds; round++) {
      it(`A random sequence of requests and days is counted as by the reference (seed ${seed + round})`, async (test) => {
        const random = randomFrom(seed + round)
        const tested = await open(test, 3)
        const { take, assertStored } = await besideReference(tested)
        for (let step = 0; step < 60; step++) {
          if (random() < 0.3) tested.wall = noon + drawFrom(random, drawn) * dayMs
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
