/**
 * What a server thread asks of the accounts: whose key is this, and may it have one more request today? All answers are
 * synchronous, and for a key seen before they touch shared memory and one Map, nothing else.
 */
import { dayEndMs, dayOfMs } from '../calendar.ts'
import { keysSeenMax } from '../limits.ts'
import { type PlanName, plans } from '../plans.ts'
import { Counts } from '../quota/counts.ts'
import { LeasedCounts } from '../quota/leases/leased-counts.ts'
import { isLeased } from '../quota/leases/shared-state.ts'
import { type Allowance, type Quota, type Resolved, refusal } from '../quota/quota.ts'
import { RefusedCounts } from '../quota/refused.ts'
import type { KeyInUse } from '../store/records.ts'
import { Store } from '../store/store.ts'
import { FreshnessLease } from './freshness-lease.ts'
import { hashOf, isWellFormed } from './keys.ts'
import type { SharedAccounts } from './shared.ts'

/** Why a request can be refused for its key: the order of what counts them. */
export const keyRefusals = ['missing', 'malformed', 'unknown', 'expired'] as const
type KeyRefusal = (typeof keyRefusals)[number]

export class Principal implements Allowance {
  readonly account: number
  readonly plan: PlanName
  readonly limit: number
  readonly key: number
  /** ms since 1970; null: never. */
  readonly expiresAt: number | null
  /** Its requests are answered 403. */
  readonly isSuspended: boolean
  /** Private, so that whoever prints an access prints no secret. */
  readonly #secret: string

  constructor(secret: string, { key, account, plan, expiresAt, isSuspended }: KeyInUse) {
    this.#secret = secret
    this.key = key
    this.account = account
    this.plan = plan
    this.limit = plans[plan].requestsPerDay
    this.expiresAt = expiresAt
    this.isSuspended = isSuspended
  }

  isOf(secret: string): boolean {
    return this.#secret === secret
  }
}

export class Authenticator {
  readonly #store: Store
  readonly #clock: () => number
  readonly #latest: Int32Array
  readonly #lastUsed: Uint32Array
  readonly #quota: Quota
  /** By `digestOf` a key. Unknown keys are not kept: their number has no bound. */
  readonly #seen = new Map<number, Principal>()
  /** Of what was seen; where accounts are shared none ever is, so that each request looks whether they may be gone by. */
  #generation = -1
  /** Of what was seen, where accounts are shared. */
  #sharedGeneration = -1
  readonly #trust: FreshnessLease | undefined
  #isTrusted = true
  /** Of the key that `identify` refused last. */
  #wrong: KeyRefusal = 'unknown'
  readonly #refusals: Float64Array
  readonly #exhausted: RefusedCounts

  /**
   * @param clock ms since 1970
   * @param refusals to be added to: `keyRefusals`
   */
  constructor(
    shared: SharedAccounts,
    clock: () => number = Date.now,
    refusals: Float64Array = new Float64Array(keyRefusals.length),
  ) {
    this.#refusals = refusals
    this.#store = new Store(shared.storeDir)
    this.#clock = clock
    this.#latest = new Int32Array(shared.generation)
    this.#lastUsed = new Uint32Array(shared.lastUsed)
    this.#trust = shared.trusted && new FreshnessLease(shared.trusted)
    const { quota } = shared
    this.#exhausted = new RefusedCounts(quota)
    this.#quota = isLeased(quota) ? new LeasedCounts(quota, this.#store, clock) : new Counts(quota, this.#store, clock)
  }

  /** ms since 1970. A request reads the clock once, and all that it asks is of that moment. */
  now(): number {
    return this.#clock()
  }

  /** The access behind a key as sent, or undefined: mistyped, unknown, expired, revoked; or nobody is trusted now. */
  identify(key: string, now = this.#clock()): Principal | undefined {
    // Not through Atomics, which would be a call: what another thread has written is seen all the same.
    if (this.#latest[0] !== this.#generation && !this.#lookAgain()) return undefined
    const seen = this.#seen.get(digestOf(key))
    const access = seen?.isOf(key) ? seen : this.#lookUp(key)
    if (access === undefined) return undefined
    if (access.expiresAt !== null && now >= access.expiresAt) {
      this.#wrong = 'expired'
      return undefined
    }
    const second = Math.floor(now / 1000)
    if (this.#lastUsed[access.key] !== second) this.#lastUsed[access.key] = second
    return access
  }

  /** False if `identify` has just known nobody, since what is known of accounts may be old: a moment later it does. */
  get isTrusted(): boolean {
    return this.#isTrusted
  }

  /**
   * A request is refused for its key: others without a good one may be answered all the same.
   * @param reason if there is one, the reason why `identify` has just not known it
   */
  countRefusal(reason: KeyRefusal = this.#wrong): void {
    this.#refusals[keyRefusals.indexOf(reason)]!++
  }

  get keysRemembered(): number {
    return this.#seen.size
  }

  /** Requests that had to wait for the shared quota store until now. */
  get waits(): number {
    return this.#quota.waits
  }

  /**
   * Counts one request of today if the quota allows: what is left after it, or one of `refusal`: -1 when exhausted. With
   * a shared quota store also -2 when that can't be asked, and -3 while it is being asked: then `settle` has the answer.
   */
  take(access: Principal, now = this.#clock()): number {
    const left = this.#quota.take(access, now)
    if (left === refusal.exhausted) this.#exhausted.add(access.account, dayOfMs(now))
    return left
  }

  /** What `take` would have given, had the shared quota store answered: counts one, or refuses with -1 or -2. */
  async resolve(access: Principal): Promise<Resolved> {
    const resolved = await this.#quota.resolve(access)
    if (resolved.left === refusal.exhausted) this.#exhausted.add(access.account, dayOfMs(resolved.at))
    return resolved
  }

  remaining(access: Principal, now = this.#clock()): number {
    return this.#quota.remaining(access, now)
  }

  /** Takes back a request. @param resetAt as it was told: requests of other days may have been counted since */
  refund({ account }: Principal, resetAt: number): void {
    this.#quota.refund(account, dayOfMs(resetAt * 1000) - 1)
  }

  /** Unix seconds of the next UTC midnight. */
  resetAt(now = this.#clock()): number {
    return dayEndMs(dayOfMs(now)) / 1000
  }

  /** Seconds until the next UTC midnight, at least 1. */
  retryAfter(): number {
    const now = this.#clock()
    return Math.ceil((dayEndMs(dayOfMs(now)) - now) / 1000)
  }

  close(): Promise<void> {
    this.#quota.close()
    return this.#store.close()
  }

  /** Whether accounts may be gone by. Something may have changed since. */
  #lookAgain(): boolean {
    if (this.#trust === undefined) {
      this.#generation = Atomics.load(this.#latest, 0)
      this.#seen.clear()
      return true
    }
    this.#isTrusted = this.#trust.holds
    if (this.#isTrusted && this.#latest[0] !== this.#sharedGeneration) {
      this.#sharedGeneration = Atomics.load(this.#latest, 0)
      this.#seen.clear()
    }
    return this.#isTrusted
  }

  #lookUp(key: string): Principal | undefined {
    if (!isWellFormed(key)) {
      this.#wrong = 'malformed'
      return undefined
    }
    const found = this.#store.keyInUse(hashOf(key))
    if (found === undefined) {
      this.#wrong = 'unknown'
      return undefined
    }
    const access = new Principal(key, found)
    if (this.#seen.size >= keysSeenMax) this.#seen.clear()
    this.#seen.set(digestOf(key), access)
    return access
  }
}

const digestedChars = 6

/**
 * A 32-bit number from the last characters, which are a key's check digits: as good as a hash of all of it, for less.
 * Keys that share one take turns in being remembered.
 */
function digestOf(key: string): number {
  let digest = 0
  for (let i = Math.max(key.length - digestedChars, 0); i < key.length; i++) {
    digest = Math.imul(digest, 61) + key.charCodeAt(i)
  }
  return digest | 0
}
