/**
 * How many accounts and keys in use there are on each plan. They are counted in steps of some milliseconds, so that
 * nothing is held up, and again only if a change or the end of a key can have made them others.
 */
import { setImmediate as pause } from 'node:timers/promises'
import { statisticsAgeMsMax } from '../limits.ts'
import { type PlanName, planNames } from '../plans.ts'
import type { Store } from '../store/store.ts'

interface PlanCounts {
  accounts: number
  liveKeys: number
}

export type CountedByPlan = Readonly<Record<PlanName, Readonly<PlanCounts>>>

/** Accounts whose keys are counted in a row: some milliseconds. */
const stepAccounts = 1000
/** A count that took long is not begun again before so many times as long. */
const restFactor = 10

export class AccountStatistics {
  readonly #store: Store
  /** As they were counted last; undefined as long as they never were. */
  counted: CountedByPlan | undefined
  /** The generation of what was counted, when that was begun (ms since 1970), and when it may be begun again. */
  #generation = -1
  #countedAt = 0
  #restUntil = 0
  #counting: Promise<void> | undefined
  #ended = false

  constructor(store: Store) {
    this.#store = store
  }

  /** Counts anew if need be; resolves when all is as it was at the call, or as at the last count while that must rest. */
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

  /** Resolves when it reads the store no more. */
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
