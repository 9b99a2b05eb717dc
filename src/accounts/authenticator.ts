/**
 * Authenticates requests in a server thread: `identify` finds the account of a key, and `take` takes a request from the
 * account's quota. Both are synchronous. For a key that the thread remembers, they read only shared memory and one Map.
 */
import { dayEndMs, dayOfMs } from '../calendar.ts'
import { keysSeenMax } from '../limits.ts'
import { type PlanName, plans } from '../plans.ts'
import { RefusedCounts } from '../quota/live-usage.ts'
import { openQuota } from '../quota/open-quota.ts'
import { type Allowance, type Quota, type Resolved, refusal } from '../quota/quota.ts'
import { Store } from '../store/store.ts'
import type { KeyInUse } from '../store/store-records.ts'
import { hashOf, isWellFormed } from './keys.ts'
import { FreshnessLease, type SharedAccounts } from './shared.ts'

/** Why a key can be rejected, in the order of the counters that an Authenticator gets. */
export const keyRefusals = ['missing', 'malformed', 'unknown', 'expired'] as const
type KeyRefusal = (typeof keyRefusals)[number]

export class Principal implements Allowance {
  readonly account: number
  readonly plan: PlanName
  readonly limit: number
  readonly key: number
  /** ms since 1970; null: never. */
  readonly expiresAt: number | null
  /** Requests of a suspended account get 403. */
  readonly isSuspended: boolean
  /** Private, so that printing a principal prints no secret. */
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
  /**
   * An API key's digest (see `digestOf`) → the principal. Unknown API keys are not remembered, because their number has
   * no bound.
   */
  readonly #remembered = new Map<number, Principal>()
  /**
   * Without shared accounts: the generation for which keys are remembered. With shared accounts it stays -1 and never
   * matches, so every request checks that the replica is fresh, and then looks at `#sharedGeneration`.
   */
  #generation = -1
  /** With shared accounts: the generation for which keys are remembered. */
  #sharedGeneration = -1
  readonly #freshness: FreshnessLease | undefined
  #isTrusted = true
  /** Why `identify` last rejected a key. */
  #rejection: KeyRefusal = 'unknown'
  readonly #refusals: Float64Array
  readonly #exhausted: RefusedCounts

  /**
   * @param clock ms since 1970
   * @param refusals counters to add to, one for each of `keyRefusals`
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
    this.#freshness = shared.freshness && new FreshnessLease(shared.freshness)
    const { quota } = shared
    this.#exhausted = new RefusedCounts(quota)
    this.#quota = openQuota(quota, this.#store, clock)
  }

  /** ms since 1970. A request reads the clock once and passes this moment on. */
  now(): number {
    return this.#clock()
  }

  /**
   * Returns undefined for a key that is malformed, unknown, revoked or expired, and for all keys while the replica is
   * stale.
   */
  identify(key: string, now = this.#clock()): Principal | undefined {
    // A plain read saves a call of Atomics, and still sees what another thread has written.
    if (this.#latest[0] !== this.#generation && !this.#revalidate()) return undefined
    const remembered = this.#remembered.get(digestOf(key))
    const principal = remembered?.isOf(key) ? remembered : this.#lookUp(key)
    if (principal === undefined) return undefined
    if (principal.expiresAt !== null && now >= principal.expiresAt) {
      this.#rejection = 'expired'
      return undefined
    }
    const second = Math.floor(now / 1000)
    if (this.#lastUsed[principal.key] !== second) this.#lastUsed[principal.key] = second
    return principal
  }

  /** False if `identify` has just rejected a key because the replica may be out of date. */
  get isFresh(): boolean {
    return this.#isTrusted
  }

  /**
   * Counts a request that is rejected because of its key. A route that answers without a valid key does not call this.
   * @param reason by default, why `identify` has just rejected the key
   */
  countRefusal(reason: KeyRefusal = this.#rejection): void {
    this.#refusals[keyRefusals.indexOf(reason)]!++
  }

  /**
   * Counts one request of today if the quota allows it. Returns the requests left, or one of `refusal`.
   * @see Quota.take
   */
  take(principal: Principal, now = this.#clock()): number {
    const left = this.#quota.take(principal, now)
    if (left === refusal.exhausted) this.#exhausted.add(principal.account, dayOfMs(now))
    return left
  }

  /** @see Quota.resolve */
  async resolve(principal: Principal): Promise<Resolved> {
    const resolved = await this.#quota.resolve(principal)
    if (resolved.left === refusal.exhausted) this.#exhausted.add(principal.account, dayOfMs(resolved.at))
    return resolved
  }

  remaining(principal: Principal, now = this.#clock()): number {
    return this.#quota.remaining(principal, now)
  }

  /**
   * Undoes a counted request.
   * @param resetAt the reset time in the request's response (Unix seconds). It is the end of the day on which the
   *   request was counted
   */
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

  /** Forgets the remembered keys if accounts have changed. Returns false if the replica may be out of date. */
  #revalidate(): boolean {
    if (this.#freshness === undefined) {
      this.#generation = Atomics.load(this.#latest, 0)
      this.#remembered.clear()
      return true
    }
    this.#isTrusted = this.#freshness.holds
    if (this.#isTrusted && this.#latest[0] !== this.#sharedGeneration) {
      this.#sharedGeneration = Atomics.load(this.#latest, 0)
      this.#remembered.clear()
    }
    return this.#isTrusted
  }

  #lookUp(key: string): Principal | undefined {
    if (!isWellFormed(key)) {
      this.#rejection = 'malformed'
      return undefined
    }
    const found = this.#store.keyInUse(hashOf(key))
    if (found === undefined) {
      this.#rejection = 'unknown'
      return undefined
    }
    const principal = new Principal(key, found)
    if (this.#remembered.size >= keysSeenMax) this.#remembered.clear()
    this.#remembered.set(digestOf(key), principal)
    return principal
  }
}

const digestedChars = 6

/**
 * A 32-bit number that is made of a key's last characters. These characters are the key's CRC, so the number is as good
 * as a hash of the whole key, and cheaper. If several keys have the same number, only the last of them is remembered.
 */
function digestOf(key: string): number {
  let digest = 0
  for (let i = Math.max(key.length - digestedChars, 0); i < key.length; i++) {
    digest = Math.imul(digest, 61) + key.charCodeAt(i)
  }
  return digest | 0
}
