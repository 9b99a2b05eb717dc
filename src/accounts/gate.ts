/**
 * What a server thread asks of the accounts: whose key is this, and may it have one more request today? All answers are
 * synchronous, and for a key seen before they touch shared memory and one Map, nothing else.
 */
import { keysSeenMax } from '../limits.ts'
import { type Counted, Counts } from './counts.ts'
import { dayEndMs, dayOf } from './days.ts'
import { hashOf, isWellFormed } from './keys.ts'
import { LeasedCounts } from './leased-counts.ts'
import { type PlanName, plans } from './plans.ts'
import { type SharedAccounts, signal } from './shared.ts'
import { Store } from './store.ts'

/** A key's way in. */
export interface Access extends Counted {
  readonly plan: PlanName
  readonly key: number
  /** ms since 1970, Infinity: never. */
  readonly expiresAt: number
}

export class Gate {
  readonly #store: Store
  readonly #clock: () => number
  readonly #signals: Int32Array
  readonly #lastUsed: Uint32Array
  readonly #counts: Counts | LeasedCounts
  /** By the key's text. Unknown keys are not kept: their number has no bound. */
  readonly #seen = new Map<string, Access>()
  #generation = -1

  /** @param clock ms since 1970 */
  constructor(shared: SharedAccounts, clock: () => number = Date.now) {
    this.#store = new Store(shared.storeDir)
    this.#clock = clock
    this.#signals = new Int32Array(shared.signals)
    this.#lastUsed = new Uint32Array(shared.lastUsed)
    this.#counts = shared.leased ? new LeasedCounts(shared, this.#store, clock) : new Counts(shared, this.#store)
  }

  /** The access behind a key as sent, or undefined: mistyped, unknown, expired, revoked. */
  identify(key: string): Access | undefined {
    if (Atomics.load(this.#signals, signal.generation) !== this.#generation) this.#forget()
    const access = this.#seen.get(key) ?? this.#lookUp(key)
    if (access === undefined) return undefined
    const now = this.#clock()
    if (now >= access.expiresAt) return undefined
    const second = Math.floor(now / 1000)
    if (this.#lastUsed[access.key] !== second) this.#lastUsed[access.key] = second
    return access
  }

  /**
   * Counts one request of today if the quota allows: what is left after it, or one of `refusal`: -1 when exhausted. With
   * a shared quota store also -2 when that can't be asked, and -3 while it is being asked: then `settle` has the answer.
   */
  take(access: Access): number {
    return this.#counts.take(access, this.#clock())
  }

  /** What `take` would have given, had the shared quota store answered: counts one, or refuses with -1 or -2. */
  async settle(access: Access): Promise<number> {
    return this.#counts instanceof LeasedCounts ? this.#counts.settle(access) : this.take(access)
  }

  /** What is left now, without counting. */
  remaining(access: Access): number {
    return this.#counts.remaining(access, this.#clock())
  }

  /** Takes back the last request counted, on its own day. */
  giveBack(access: Access): void {
    this.#counts.giveBack(access)
  }

  /** Unix seconds of the next UTC midnight. */
  resetAt(): number {
    return dayEndMs(dayOf(this.#clock())) / 1000
  }

  /** Seconds until the next UTC midnight, at least 1. */
  retryAfter(): number {
    const now = this.#clock()
    return Math.ceil((dayEndMs(dayOf(now)) - now) / 1000)
  }

  close(): Promise<void> {
    if (this.#counts instanceof LeasedCounts) this.#counts.close()
    return this.#store.close()
  }

  /** Something changed since: what was seen may be wrong, and so may the snapshot that lmdb reads from. */
  #forget(): void {
    this.#generation = Atomics.load(this.#signals, signal.generation)
    this.#seen.clear()
    this.#store.refresh()
  }

  #lookUp(key: string): Access | undefined {
    if (!isWellFormed(key)) return undefined
    const secret = this.#store.secrets.get(hashOf(key))
    if (secret === undefined) return undefined
    const [number, account, expiresAt] = secret
    const { plan } = this.#store.accounts.get(account)!
    const access: Access = {
      account,
      key: number,
      plan,
      limit: plans[plan].requestsPerDay,
      expiresAt: expiresAt ?? Number.POSITIVE_INFINITY,
      countedDay: 0,
    }
    if (this.#seen.size >= keysSeenMax) this.#seen.clear()
    this.#seen.set(key, access)
    return access
  }
}
