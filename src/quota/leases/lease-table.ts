/**
 * Which leases a server holds. Of an account, one is current: that of the day that was last asked for, whose the board's
 * cells are. Those of other days are set aside: what was granted must be known when a clock is set back.
 *
 *   new ─▶ current ── another day is asked for ──▶ aside ── an hour ──▶ forgotten
 *             ▲                                     │
 *             └────── its own day is again ─────────┘
 */
import type { Logger } from 'pino'
import { AccountsError } from '../../store/accounts-error.ts'
import type { Account } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { type Lease, newLease } from './lease.ts'
import { questionOf, type SharedLeaseState } from './shared-state.ts'

/** A day's lease is kept for so long after another day's has taken its place: clocks are set, ahead and back. */
const asideMsMax = 3_600_000

export class LeaseTable {
  readonly #store: Store
  readonly #board: SharedLeaseState
  readonly #log: Logger
  /** By account number. */
  readonly #current = new Map<number, Lease>()
  /** By account and day, in the order in which they were set aside. */
  readonly #aside = new Map<number, Lease>()
  /** Accounts whose record could not be read, and of which that was told. */
  readonly #damaged = new Set<number>()

  constructor(store: Store, board: SharedLeaseState, log: Logger) {
    this.#store = store
    this.#board = board
    this.#log = log
  }

  current(): Iterable<Lease> {
    return this.#current.values()
  }

  /** The current one, if it is of that day. */
  ofDay(accountName: string, day: number): Lease | undefined {
    const account = this.#store.accountNumber(accountName)
    const lease = account === undefined ? undefined : this.#current.get(account)
    return lease?.day === day ? lease : undefined
  }

  /** False if the cells are another day's: an answer that comes after midnight must not touch them. */
  isCurrent(lease: Lease): boolean {
    return this.#current.get(lease.account) === lease
  }

  /**
   * The account's lease of that day, current from now on; undefined if there is no such account.
   * @param planChange the change of plans that a new one is of
   * @param now by the steady clock
   */
  open(account: number, day: number, planChange: number, now: number): Lease | undefined {
    const before = this.#current.get(account)
    if (before?.day === day) return before
    const place = questionOf(account, day)
    const lease = this.#aside.get(place) ?? this.#newLease(account, day, planChange)
    if (lease === undefined) return undefined
    if (before !== undefined) this.#setAside(before, now)
    this.#aside.delete(place)
    this.#current.set(account, lease)
    const counted = this.#board.countedOn(lease)
    // Of one that was forgotten, more may be counted than it knows of.
    lease.granted = Math.max(lease.granted, counted)
    lease.countedBefore = lease.granted - counted
    return lease
  }

  /** A damaged record is its own account's trouble: it gets no lease. */
  account(number: number): Account | undefined {
    try {
      return this.#store.account(number)
    } catch (error) {
      if (!(error instanceof AccountsError)) throw error
      if (!this.#damaged.has(number)) this.#log.error({ account: number }, error.message)
      this.#damaged.add(number)
      return undefined
    }
  }

  /**
   * Forgets what is of no use any more: leases set aside, and those that nobody has asked for since their day passed.
   * @param now by the steady clock
   */
  forgetOld(now: number, today: number): void {
    for (const lease of this.#current.values()) {
      if (lease.day === today) lease.asideSince = undefined
      else lease.asideSince ??= now
      if (lease.asideSince !== undefined && now - lease.asideSince > asideMsMax) this.#drop(lease)
    }
    for (const [place, lease] of this.#aside) {
      if (now - lease.asideSince! < asideMsMax) break
      this.#aside.delete(place)
    }
  }

  #newLease(account: number, day: number, planChange: number): Lease | undefined {
    const record = this.account(account)
    return record && newLease(account, record.name, day, record.plan, planChange)
  }

  /** What is left of it no thread can count any more. */
  #setAside(lease: Lease, now: number): void {
    clearTimeout(lease.paced)
    lease.paced = undefined
    lease.granted -= this.#board.takeLeft(lease)
    lease.asideSince = now
    this.#aside.set(questionOf(lease.account, lease.day), lease)
    this.#board.closeQuestion(lease.account)
  }

  /** Nobody would know of what threads counted of it from now on. */
  #drop(lease: Lease): void {
    clearTimeout(lease.paced)
    this.#board.takeLeft(lease)
    this.#board.closeQuestion(lease.account)
    this.#current.delete(lease.account)
  }
}
