/**
 * The leases of this server. An account has one current lease, for the day of the account's latest request. The
 * account's cells in the shared state belong to the current lease. If a clock is set back across midnight, a new lease
 * begins for the earlier day. It starts with the requests that the account's counter has for that day.
 */
import { AccountsError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import type { Account } from '../../store/store-records.ts'
import { Lease } from './lease.ts'
import type { SharedLeaseState } from './shared-state.ts'

export class LeaseTable {
  readonly #store: Store
  readonly #state: SharedLeaseState
  /** Account number → current lease. */
  readonly #current = new Map<number, Lease>()

  constructor(store: Store, state: SharedLeaseState) {
    this.#store = store
    this.#state = state
  }

  current(): Iterable<Lease> {
    return this.#current.values()
  }

  /**
   * False if the account's cells in the shared state hold another day. An answer that arrives after midnight must not
   * change these cells.
   */
  isCurrent(lease: Lease): boolean {
    return this.#current.get(lease.account) === lease
  }

  /** Makes the account's lease of that day the current one. Returns undefined if there is no such account. */
  open(account: number, day: number): Lease | undefined {
    const before = this.#current.get(account)
    if (before?.day === day) return before
    const record = this.account(account)
    if (record === undefined) return undefined
    if (before !== undefined) this.#end(before)
    const lease = new Lease(account, day, record.plan)
    lease.granted = this.#state.countedOn(lease)
    this.#current.set(account, lease)
    return lease
  }

  /**
   * Returns the account's record; undefined if there is no such account, or if its record is damaged. Then this account
   * alone gets no lease.
   */
  account(number: number): Account | undefined {
    try {
      return this.#store.account(number)
    } catch (error) {
      if (error instanceof AccountsError) return undefined
      throw error
    }
  }

  /** Ends the leases of other days. */
  keepOnly(today: number): void {
    for (const lease of this.#current.values()) if (lease.day !== today) this.#end(lease)
  }

  /** Ends a lease: threads must not count requests under a lease that is no longer current. */
  #end(lease: Lease): void {
    clearTimeout(lease.retryTimer)
    lease.retryTimer = undefined
    this.#state.takeLeft(lease)
    this.#state.closeQuestion(lease.account)
    this.#current.delete(lease.account)
  }
}
