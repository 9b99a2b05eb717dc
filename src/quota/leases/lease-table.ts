/**
 * The leases of this server: an account has one, for the day of its latest request, and the shared state is that lease's. If a clock is
 * set back across midnight, the lease of that day begins again with what the account's counter of that day says.
 */
import { dateOfDay } from '../../calendar.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import type { Account } from '../../store/store-records.ts'
import { Lease } from './lease.ts'
import { quotaKey } from './lease-scripts.ts'
import type { SharedLeaseState } from './shared-state.ts'

export class LeaseTable {
  readonly #store: Store
  readonly #state: SharedLeaseState
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
    const record = this.account(account)
    if (record === undefined) return undefined
    if (before !== undefined) this.#end(before)
    const lease = new Lease(account, quotaKey(dateOfDay(day), record.id), day, record.plan)
    lease.granted = this.#state.countedOn(lease)
    this.#current.set(account, lease)
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

  /** Ends the leases of other days. */
  keepOnly(today: number): void {
    for (const lease of this.#current.values()) if (lease.day !== today) this.#end(lease)
  }

  /** Threads must not count on a lease that is not current. */
  #end(lease: Lease): void {
    clearTimeout(lease.retryTimer)
    lease.retryTimer = undefined
    this.#state.takeLeft(lease)
    this.#state.closeQuestion(lease.account)
    this.#current.delete(lease.account)
  }
}
