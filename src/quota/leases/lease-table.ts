/**
 * The leases of this server. An account has one current lease, for the day of its latest request; the shared state is that
 * lease's. Leases of other days than today are remembered for an hour, because a clock may be set back.
 */
import { dateOfDay } from '../../calendar.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import type { Account } from '../../store/store-records.ts'
import { Lease } from './lease.ts'
import { quotaKey } from './scripts.ts'
import { questionOf, type SharedLeaseState } from './shared-state.ts'

const otherDayMsMax = 3_600_000

export class LeaseTable {
  readonly #store: Store
  readonly #state: SharedLeaseState
  /** By account and day. */
  readonly #leases = new Map<number, Lease>()
  /** By account number. */
  readonly #current = new Map<number, Lease>()

  constructor(store: Store, state: SharedLeaseState) {
    this.#store = store
    this.#state = state
  }

  current(): Iterable<Lease> {
    return this.#current.values()
  }

  /** False if the shared state holds another day: an answer that arrives after midnight must not change it. */
  isCurrent(lease: Lease): boolean {
    return this.#current.get(lease.account) === lease
  }

  /** Makes the account's lease of that day the current one. Returns undefined if there is no such account. */
  open(account: number, day: number): Lease | undefined {
    const before = this.#current.get(account)
    if (before?.day === day) return before
    const place = questionOf(account, day)
    const lease = this.#leases.get(place) ?? this.#newLease(account, day)
    if (lease === undefined) return undefined
    if (before !== undefined) this.#end(before)
    this.#leases.set(place, lease)
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
      if (error instanceof AccountsError) return undefined
      throw error
    }
  }

  /** Forgets leases that have been of another day for an hour. @param now by the monotonic clock */
  forgetOld(now: number, today: number): void {
    for (const [place, lease] of this.#leases) {
      if (lease.day === today) lease.otherDaySince = undefined
      else lease.otherDaySince ??= now
      if (lease.otherDaySince === undefined || now - lease.otherDaySince < otherDayMsMax) continue
      this.#leases.delete(place)
      if (!this.isCurrent(lease)) continue
      this.#end(lease)
      this.#current.delete(lease.account)
    }
  }

  #newLease(account: number, day: number): Lease | undefined {
    const record = this.account(account)
    if (record === undefined) return undefined
    return new Lease(account, quotaKey(dateOfDay(day), record.id), day, record.plan)
  }

  /** Threads must not count on a lease that is not current. */
  #end(lease: Lease): void {
    clearTimeout(lease.retryTimer)
    lease.retryTimer = undefined
    lease.granted -= this.#state.takeLeft(lease)
    this.#state.closeQuestion(lease.account)
  }
}
