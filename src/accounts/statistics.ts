/**
 * The numbers of accounts and live keys on each plan. They are counted in steps of some milliseconds, and again only if accounts have
 * changed or keys may have expired.
 */
import { setImmediate as pause } from 'node:timers/promises'
import { statisticsAgeMsMax } from '../limits.ts'
import { type PlanName, planNames } from '../plans.ts'
import type { Store } from '../store/store.ts'

interface PlanCounts {
  accounts: number
  liveKeys: number
}

export type CountsByPlan = Readonly<Record<PlanName, Readonly<PlanCounts>>>

/** Accounts in one step. */
const stepAccounts = 1000
/** After a count, the next one waits this many times as long as it took. */
const restFactor = 10

export class AccountStatistics {
  readonly #store: Store
  /** The last count; undefined before the first. */
  counted: CountsByPlan | undefined
  /** The generation that was counted, when its count began (ms since 1970), and when the next may begin. */
  #generation = -1
  #countedAt = 0
  #restUntil = 0
  #counting: Promise<void> | undefined
  #ended = false

  constructor(store: Store) {
    this.#store = store
  }

  /** Resolves when `counted` is up to date, or at once if the next count must wait. */
  refresh(now = Date.now()): Promise<void> {
    if (this.#counting !== undefined) return this.#counting
    const { generation } = this.#store
    const isFresh = generation === this.#generation && Math.abs(now - this.#countedAt) < statisticsAgeMsMax
    if (this.#ended || isFresh || performance.now() < this.#restUntil) return Promise.resolve()
    this.#counting = this.#count(generation, now).finally(() => {
      this.#counting = undefined
    })
    return this.#counting
  }

  /** Resolves when it no longer reads the store. */
  async end(): Promise<void> {
    this.#ended = true
    await this.#counting
  }

  async #count(generation: number, now: number): Promise<void> {
    const from = performance.now()
    const sums = Object.fromEntries(planNames.map((plan) => [plan, { accounts: 0, liveKeys: 0 }]))
    for (let first = 0; first < this.#store.counter('nextAccount'); first += stepAccounts) {
      for (const { plan, accounts, liveKeys } of this.#store.countByPlan(first, first + stepAccounts, now)) {
        sums[plan]!.accounts += accounts
        sums[plan]!.liveKeys += liveKeys
      }
      await pause()
      if (this.#ended) return
    }
    this.counted = sums as Record<PlanName, PlanCounts>
    this.#generation = generation
    this.#countedAt = now
    this.#restUntil = performance.now() + restFactor * (performance.now() - from)
  }
}
