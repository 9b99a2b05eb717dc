/** The numbers of accounts and live keys on each plan: counted again only if accounts have changed or keys may have expired. */
import { statisticsAgeMsMax } from '../limits.ts'
import { type PlanName, planNames } from '../plans.ts'
import type { Store } from '../store/store.ts'

export type CountsByPlan = Readonly<Record<PlanName, { readonly accounts: number; readonly liveKeys: number }>>

/** After a count, which takes a millisecond for 1,000 accounts, the next one waits this many times as long as it took. */
const restFactor = 10

export class AccountStatistics {
  readonly #store: Store
  /** The last count; undefined before the first. */
  counted: CountsByPlan | undefined
  /** The generation that was counted, when (ms since 1970), and when the next count may begin. */
  #generation = -1
  #countedAt = 0
  #restUntil = 0

  constructor(store: Store) {
    this.#store = store
  }

  /** Brings `counted` up to date, unless the next count must wait. */
  refresh(now = Date.now()): void {
    const { generation } = this.#store
    const isFresh = generation === this.#generation && Math.abs(now - this.#countedAt) < statisticsAgeMsMax
    const from = performance.now()
    if (isFresh || from < this.#restUntil) return
    const found = this.#store.countByPlan(now)
    const none = { accounts: 0, liveKeys: 0 }
    this.counted = Object.fromEntries(
      planNames.map((name) => [name, found.find(({ plan }) => plan === name) ?? none]),
    ) as unknown as CountsByPlan
    this.#generation = generation
    this.#countedAt = now
    this.#restUntil = performance.now() + restFactor * (performance.now() - from)
  }
}
