/** Either way of counting, with all that stands behind it: `Counts`, or `LeasedCounts` with a lease manager and a quota store. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { Flusher } from '../../src/accounts/flusher.ts'
import { createAccount, setPlan } from '../../src/accounts/registry.ts'
import { dayOfMs } from '../../src/calendar.ts'
import { type PlanName, plans } from '../../src/plans.ts'
import { reserveCounts, type SharedCounts } from '../../src/quota/counters.ts'
import { Counts } from '../../src/quota/counts.ts'
import { LeaseManager } from '../../src/quota/leases/lease-manager.ts'
import { LeasedCounts } from '../../src/quota/leases/leased-counts.ts'
import { reserveLeases } from '../../src/quota/leases/shared-state.ts'
import { type Allowance, type Quota, refusal } from '../../src/quota/quota.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { until } from '../support/until.ts'

/** Only a fault needs more. */
const triesMax = 100
const folder = temporaryFolder()
let opened = 0

export class TestedQuota {
  readonly storeDir: string
  readonly shared: SharedCounts
  readonly quota: Quota
  /** ms since 1970; may be set. */
  wall: number
  readonly #store: Store
  readonly #names: readonly string[]
  readonly #plans: PlanName[]
  readonly #flusher: Flusher
  readonly #manager: LeaseManager | undefined

  /** With accounts 0, 1, … on the Free plan, which no quota store has heard of. */
  static async open(accounts: number, wall: number, quotaStore: string | undefined): Promise<TestedQuota> {
    const tested = new TestedQuota(accounts, wall, quotaStore)
    await tested.#manager?.connect()
    return tested
  }

  private constructor(accounts: number, wall: number, quotaStore: string | undefined) {
    this.wall = wall
    this.storeDir = join(folder, `${opened}`)
    this.#store = new Store(this.storeDir)
    this.#names = Array.from({ length: accounts }, (_, i) => `account ${i} of ${process.pid}-${opened}`)
    opened++
    for (const name of this.#names) createAccount(this.#store, name, 'free', wall)
    this.#plans = this.#names.map(() => 'free')
    const clocks = { wall: () => this.wall, monotonic: () => performance.now() }
    if (quotaStore === undefined) {
      this.shared = reserveCounts()
      this.quota = new Counts(this.shared, this.#store, clocks.wall)
    } else {
      const leases = reserveLeases()
      const log = pino({ level: 'silent' })
      this.shared = leases
      this.quota = new LeasedCounts(leases, this.#store, clocks.wall)
      this.#manager = new LeaseManager(leases, this.#store, { url: quotaStore, failOpen: false, log, clocks })
    }
    this.#flusher = new Flusher(this.shared, this.#store, clocks)
  }

  get day(): number {
    return dayOfMs(this.wall)
  }

  limit(account: number): number {
    return plans[this.#plans[account]!].requestsPerDay
  }

  /** Of a request's own. */
  allowance(account: number): Allowance {
    return { account, limit: this.limit(account) }
  }

  /** As a caller does who is refused because a loaded machine's quota store is late: that counts nothing. */
  async take(allowance: Allowance): Promise<number> {
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
    setPlan(this.#store, this.#names[account]!, plan)
    this.#plans[account] = plan
    this.#manager?.checkPlans()
    await until(`${remaining} are left on the plan ${plan}`, () => this.remaining(account) === remaining)
  }

  /** The store's content when all counts are written down. */
  stored(account: number, day: number): number {
    this.#flusher.flush()
    return this.#store.usedOn(day, account)
  }

  async close(): Promise<void> {
    this.quota.close()
    await this.#manager?.close()
    await this.#store.close()
  }
}
