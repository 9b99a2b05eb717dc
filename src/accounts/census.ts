/**
 * How many accounts and keys in use there are on each plan. They are counted through in steps of some milliseconds, so that
 * whoever asks holds up nothing, and again only if a change or the end of a key can have made them others.
 *
 *   accounts ─▶ the plan of each, a byte a number ─┐
 *   secrets  ─▶ those that open the door ──────────┴▶ keys by plan
 */
import { setImmediate as pause } from 'node:timers/promises'
import { censusAgeMsMax } from '../limits.ts'
import { type PlanName, planNames } from '../plans.ts'
import type { Store } from '../store/store.ts'

interface PlanCounts {
  readonly accounts: number
  readonly liveKeys: number
}

export type CountedByPlan = Readonly<Record<PlanName, PlanCounts>>

/** Records that are read in a row: half a millisecond once the code is warm. */
const stepRecords = 250
/** A count that took long is not begun again before so many times as long. */
const restFactor = 10

export class Census {
  readonly #store: Store
  #counted: CountedByPlan | undefined
  /** The generation of what was counted, when that was begun (ms since 1970), and when it may be begun again. */
  #generation = -1
  #countedAt = 0
  #restUntil = 0
  #counting: Promise<void> | undefined
  #ended = false

  constructor(store: Store) {
    this.#store = store
  }

  /** As they were counted last; undefined as long as they never were. */
  get counted(): CountedByPlan | undefined {
    return this.#counted
  }

  /** Counts anew if need be; resolves when all is as it was at the call, or as at the last count while that must rest. */
  refresh(now = Date.now()): Promise<void> {
    if (this.#counting !== undefined) return this.#counting
    this.#store.refresh()
    const generation = this.#store.counter('generation')
    const isFresh = generation === this.#generation && Math.abs(now - this.#countedAt) < censusAgeMsMax
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
    const planOf = new Uint8Array(this.#store.counter('nextAccount'))
    const accounts = new Array<number>(planNames.length).fill(0)
    const liveKeys = new Array<number>(planNames.length).fill(0)
    for (let first = 0; first < planOf.length; first += stepRecords) {
      for (const { number, plan } of this.#store.accountsFrom(first, Math.min(first + stepRecords, planOf.length))) {
        planOf[number] = planNames.indexOf(plan)
        accounts[planNames.indexOf(plan)]!++
      }
      await pause()
      if (this.#ended) return
    }
    for (let after: Uint8Array | undefined; ; ) {
      const secrets = this.#store.secretsAfter(after, stepRecords)
      for (const { secret } of secrets) {
        const [, account, expiresAt] = secret
        // One that was made since the accounts were counted is of the next count.
        if (account < planOf.length && (expiresAt === null || now < expiresAt)) liveKeys[planOf[account]!]!++
      }
      after = secrets.at(-1)?.hash
      if (secrets.length < stepRecords) break
      await pause()
      if (this.#ended) return
    }
    const entries = planNames.map((plan, i) => [plan, { accounts: accounts[i]!, liveKeys: liveKeys[i]! }])
    this.#counted = Object.fromEntries(entries) as CountedByPlan
    this.#generation = generation
    this.#countedAt = now
    const took = performance.now() - from
    this.#restUntil = performance.now() + took * restFactor
  }
}
