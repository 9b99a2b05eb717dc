/**
 * The leases of this server. An account has one current lease, for the day of its latest request; the shared state is that
 * lease's. Leases of other days become inactive and are remembered for an hour, because a clock may be set back.
 *
 *   new ─▶ current ── a request of another day ──▶ inactive ── an hour ──▶ forgotten
 *             ▲                                       │
 *             └────── a request of its own day ───────┘
 */
import type { Logger } from 'pino'
import { AccountsError } from '../../store/accounts-error.ts'
import type { Account } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { type Lease, newLease } from './lease.ts'
import { questionOf, type SharedLeaseState } from './shared-state.ts'

const inactiveMsMax = 3_600_000

export class LeaseTable {
  readonly #store: Store
  readonly #state: SharedLeaseState
  readonly #log: Logger
  /** Numbers of accounts that have had a lease, by account id. */
  readonly #numbers = new Map<string, number>()
  /** By account number. */
  readonly #current = new Map<number, Lease>()
  /** By account and day, the longest inactive first. */
  readonly #inactive = new Map<number, Lease>()
  /** Accounts whose record could not be read, each of which was logged. */
  readonly #damaged = new Set<number>()

  constructor(store: Store, state: SharedLeaseState, log: Logger) {
    this.#store = store
    this.#state = state
    this.#log = log
  }

  current(): Iterable<Lease> {
    return this.#current.values()
  }

  /** The account's current lease, if it is of that day. */
  currentOn(accountId: string, day: number): Lease | undefined {
    const account = this.#numbers.get(accountId)
    const lease = account === undefined ? undefined : this.#current.get(account)
    return lease?.day === day ? lease : undefined
  }

  /** False if the shared state holds another day: an answer that arrives after midnight must not change it. */
  isCurrent(lease: Lease): boolean {
    return this.#current.get(lease.account) === lease
  }

  /**
   * Makes the account's lease of that day the current one. Returns undefined if there is no such account.
   * @param now by the monotonic clock
   */
  open(account: number, day: number, planGeneration: number, now: number): Lease | undefined {
    const before = this.#current.get(account)
    if (before?.day === day) return before
    const place = questionOf(account, day)
    const lease = this.#inactive.get(place) ?? this.#newLease(account, day, planGeneration)
    if (lease === undefined) return undefined
    if (before !== undefined) this.#deactivate(before, now)
    this.#inactive.delete(place)
    this.#current.set(account, lease)
    const counted = this.#state.countedOn(lease)
    // If the lease was forgotten, the counter can be higher than the new one's `granted`.
    lease.granted = Math.max(lease.granted, counted)
    lease.usedBeforeReset = lease.granted - counted
    return lease
  }

  /** Undefined if there is no such account, or its record is damaged: then only this account gets no lease. */
  account(number: number): (Account & { readonly id: string }) | undefined {
    try {
      const account = this.#store.account(number)
      return { ...account, id: this.#store.accountId(account) }
    } catch (error) {
      if (!(error instanceof AccountsError)) throw error
      if (!this.#damaged.has(number)) this.#log.error({ account: number }, error.message)
      this.#damaged.add(number)
      return undefined
    }
  }

  /** Forgets leases that have been inactive for an hour. @param now by the monotonic clock */
  forgetOld(now: number, today: number): void {
    for (const lease of this.#current.values()) {
      if (lease.day === today) lease.inactiveSince = undefined
      else lease.inactiveSince ??= now
      if (lease.inactiveSince !== undefined && now - lease.inactiveSince > inactiveMsMax) this.#forget(lease)
    }
    for (const [place, lease] of this.#inactive) {
      if (now - lease.inactiveSince! < inactiveMsMax) break
      this.#inactive.delete(place)
    }
  }

  #newLease(account: number, day: number, planGeneration: number): Lease | undefined {
    const record = this.account(account)
    if (record === undefined) return undefined
    this.#numbers.set(record.id, account)
    return newLease(account, record.id, day, record.plan, planGeneration)
  }

  #deactivate(lease: Lease, now: number): void {
    clearTimeout(lease.retryTimer)
    lease.retryTimer = undefined
    lease.granted -= this.#state.takeLeft(lease)
    lease.inactiveSince = now
    this.#inactive.set(questionOf(lease.account, lease.day), lease)
    this.#state.closeQuestion(lease.account)
  }

  /** Threads must not count on a lease that nobody remembers. */
  #forget(lease: Lease): void {
    clearTimeout(lease.retryTimer)
    this.#state.takeLeft(lease)
    this.#state.closeQuestion(lease.account)
    this.#current.delete(lease.account)
  }
}
