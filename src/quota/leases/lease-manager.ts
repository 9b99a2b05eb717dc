/**
 * The supervisor's side of quotas that servers share. The lease manager leases parts of each account's quota from the quota store,
 * puts them where threads count them down, requests more before they are used up, and releases what is left.
 *
 *   thread ── shared state ──▶ lease manager ──▶ quota store
 *          ◀─ grant or denial ─              ◀──
 *
 * An account has one current lease, for the day of its latest request; the shared state is that lease's. A lease that a dead server
 * held is lost until the day ends: nobody knows how much of it was used, and the quota is never exceeded.
 */
import { dayOfMs } from '../../calendar.ts'
import { plans } from '../../plans.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import type { Account } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { blockAccounts, blockOf, countsIn } from '../../store/usage-block.ts'
import { type Clocks, systemClocks } from '../clocks.ts'
import { fittingSize, hasExpired, type Lease, newLease, setLimit } from './lease.ts'
import { QuotaStore, type QuotaStoreOptions } from './quota-store.ts'
import { denials, questionOf, SharedLeaseState, type SharedLeases } from './shared-state.ts'

/** After a denial, the store is asked again this much later: another server may have released something. */
export const deniedMs = 500
export const reviewMs = 500
/** Leases in one report, which takes the store some milliseconds. */
const reportLeasesMax = 256

export interface LeaseManagerOptions extends QuotaStoreOptions {
  readonly clocks?: Clocks | undefined
}

export class LeaseManager {
  readonly #store: Store
  readonly #options: LeaseManagerOptions
  readonly #clocks: Clocks
  readonly #state: SharedLeaseState
  readonly #quotaStore: QuotaStore
  readonly #timer: NodeJS.Timeout
  readonly #startDay: number
  /** By account: requests of the start's day that earlier processes on this STORE_DIR used. The quota store may lose them. */
  readonly #usedEarlier = new Map<number, number>()
  /** By account and day. All but the current ones wait to be reported. */
  readonly #leases = new Map<number, Lease>()
  /** Days of leases that are no longer in `#leases`. */
  readonly #forgottenDays = new Set<number>()
  /** By account. */
  readonly #current = new Map<number, Lease>()
  #isClosing = false
  #arePlansOld = false

  /** Throws AccountsError. */
  constructor(shared: SharedLeases, store: Store, options: LeaseManagerOptions) {
    this.#store = store
    this.#options = options
    this.#clocks = options.clocks ?? systemClocks
    this.#state = new SharedLeaseState(shared, (account, day) => this.#onQuestion(account, day))
    this.#startDay = dayOfMs(this.#clocks.wall())
    for (let block = 0; block <= blockOf(store.counter('nextAccount')); block++) {
      for (const [place, count] of countsIn(store.usageBlock(this.#startDay, block)).entries()) {
        if (count > 0) this.#usedEarlier.set(block * blockAccounts + place, count)
      }
    }
    const events = { onBack: () => this.#onBack(), onConnected: () => this.#reportAll() }
    this.#quotaStore = new QuotaStore(options, store.serverId(), events)
    this.#timer = setInterval(() => this.#review(), reviewMs)
  }

  /** Resolves when the store can be asked, or when the first attempt to reach it has failed. */
  connect(): Promise<void> {
    return this.#quotaStore.connect()
  }

  get isStoreUp(): boolean {
    return this.#quotaStore.isUp
  }

  /** Leases sent to the store until now. */
  get questions(): number {
    return this.#quotaStore.questions
  }

  /** Accounts may have other plans now. */
  checkPlans(): void {
    this.#arePlansOld = true
  }

  /** Releases all leases. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#timer)
    const leases = [...this.#leases.values()]
    do await Promise.all(leases.map(({ exchange }) => exchange))
    while (leases.some(({ exchange }) => exchange !== undefined))
    for (const lease of leases) this.#release(lease)
    await this.#report(leases)
    this.#quotaStore.close()
    this.#state.close()
  }

  #onQuestion(account: number, day: number): void {
    const lease = this.#open(account, day)
    if (lease !== undefined) this.#request(lease)
  }

  /** Makes the account's lease of that day the current one. Returns undefined if there is no such account. */
  #open(account: number, day: number): Lease | undefined {
    const before = this.#current.get(account)
    if (before?.day === day) return before
    const lease = this.#leases.get(questionOf(account, day)) ?? this.#newLease(account, day)
    if (lease === undefined) return undefined
    if (before !== undefined) this.#retire(before)
    this.#leases.set(questionOf(account, day), lease)
    this.#current.set(account, lease)
    const counted = this.#state.countedOn(lease)
    lease.granted = Math.max(lease.granted, counted)
    lease.uncounted = lease.granted - counted
    return lease
  }

  /** Threads must not count on a lease that nobody reviews. */
  #retire(lease: Lease): void {
    clearTimeout(lease.retryTimer)
    lease.retryTimer = undefined
    this.#release(lease)
    this.#state.closeQuestion(lease.account)
    this.#current.delete(lease.account)
    void this.#report([lease])
  }

  #newLease(account: number, day: number): Lease | undefined {
    const record = this.#account(account)
    if (record === undefined) return undefined
    const usedEarlier = day === this.#startDay ? (this.#usedEarlier.get(account) ?? 0) : 0
    const accountId = this.#store.accountId(record)
    const wasForgotten = this.#forgottenDays.has(day)
    return newLease({ account, day, accountId, usedEarlier, wasForgotten }, record.plan)
  }

  /** Undefined if there is no such account, or its record is damaged: then only this account gets no lease. */
  #account(number: number): Account | undefined {
    try {
      return this.#store.account(number)
    } catch (error) {
      if (error instanceof AccountsError) return undefined
      throw error
    }
  }

  #request(lease: Lease): void {
    if (lease.exchange !== undefined || lease.retryTimer !== undefined || this.#isClosing) return
    lease.size = fittingSize(lease, this.#clocks.monotonic())
    lease.exchange = this.#quotaStore.exchange([lease], lease.size).then(
      ({ granted, recoveryMs }) => {
        lease.exchange = undefined
        if (recoveryMs === 0) this.#answer(lease, granted, denials.exhausted)
        else if (this.#isCurrent(lease)) this.#delay(lease, recoveryMs, () => this.#request(lease))
      },
      () => {
        lease.exchange = undefined
        this.#answerWithoutStore(lease)
      },
    )
  }

  #isCurrent(lease: Lease): boolean {
    return this.#current.get(lease.account) === lease
  }

  /** QUOTA_FAIL decides: the server grants up to the whole quota itself, or nothing. */
  #answerWithoutStore(lease: Lease): void {
    const { failOpen } = this.#options
    const granted = failOpen ? Math.max(Math.min(lease.size, lease.limit - lease.granted), 0) : 0
    lease.granted += granted
    lease.isUnreported ||= granted > 0
    this.#answer(lease, granted, failOpen ? denials.exhausted : denials.unavailable)
  }

  #answer(lease: Lease, granted: number, denied: number): void {
    if (!this.#isCurrent(lease)) {
      // No thread will count it.
      lease.granted -= granted
      lease.isUnreported ||= granted > 0
      return
    }
    if (granted > 0) lease.grantedAt = this.#clocks.monotonic()
    else this.#delay(lease, deniedMs, () => this.#endDenial(lease))
    this.#state.answer(lease, granted, denied)
  }

  /** The next request asks the store and waits. While the store is away, the next request is denied at once, and asks again. */
  #endDenial(lease: Lease): void {
    if (this.#quotaStore.isUp) this.#state.clearDenial(lease)
    else this.#state.closeQuestion(lease.account)
  }

  /** Until then nothing is requested for the account, and a thread's question stays open. */
  #delay(lease: Lease, ms: number, then: () => void): void {
    lease.retryTimer = setTimeout(() => {
      lease.retryTimer = undefined
      then()
    }, ms).unref()
  }

  /** Reports the leases that changed. If a report fails, a later review repeats it. */
  async #report(leases: Iterable<Lease>): Promise<void> {
    let batch: Lease[] = []
    for (const lease of leases) {
      if (!this.#quotaStore.isConnected) return
      if (lease.isUnreported && lease.exchange === undefined) batch.push(lease)
      if (batch.length < reportLeasesMax) continue
      await this.#reportBatch(batch)
      batch = []
    }
    if (batch.length > 0 && this.#quotaStore.isConnected) await this.#reportBatch(batch)
  }

  #reportBatch(leases: readonly Lease[]): Promise<void> {
    const done = () => {
      for (const lease of leases) {
        lease.exchange = undefined
        // A thread may have asked during the report.
        if (this.#isCurrent(lease) && this.#state.isAsked(lease.account)) this.#request(lease)
      }
    }
    const exchange = this.#quotaStore.exchange(leases).then(done, done)
    for (const lease of leases) lease.exchange = exchange
    return exchange
  }

  /** The store may be another one, or may have lost its data. */
  #reportAll(): void {
    for (const lease of this.#leases.values()) lease.isUnreported ||= lease.granted > 0
    void this.#report(this.#allUsed())
  }

  /** All leases, and what only earlier processes used. */
  *#allUsed(): Generator<Lease> {
    yield* this.#leases.values()
    for (const account of this.#usedEarlier.keys()) {
      if (this.#leases.has(questionOf(account, this.#startDay))) continue
      const lease = this.#newLease(account, this.#startDay)
      if (lease !== undefined) yield Object.assign(lease, { isUnreported: true })
    }
  }

  #review(): void {
    if (!this.#quotaStore.isConnected) return
    void this.#quotaStore.poll()
    const now = this.#clocks.monotonic()
    const today = dayOfMs(this.#clocks.wall())
    const arePlansOld = this.#arePlansOld
    this.#arePlansOld = false
    for (const [place, lease] of this.#leases) {
      // A lease on its way is checked at the next review.
      if (arePlansOld && lease.exchange !== undefined) this.#arePlansOld = true
      if (lease.exchange !== undefined) continue
      if (lease.day !== today && this.#isCurrent(lease)) this.#retire(lease)
      if (!this.#isCurrent(lease) && !lease.isUnreported) {
        this.#leases.delete(place)
        this.#forgottenDays.add(lease.day)
      }
      if (arePlansOld) this.#checkPlan(lease)
      if (hasExpired(lease, now)) this.#release(lease)
    }
    void this.#report(this.#leases.values())
  }

  /** Takes what threads have not counted. The next report tells the store. */
  #release(lease: Lease): void {
    const taken = this.#isCurrent(lease) ? this.#state.takeLeft(lease) : 0
    lease.granted -= taken
    lease.isUnreported ||= taken > 0
  }

  #checkPlan(lease: Lease): void {
    const plan = this.#account(lease.account)?.plan
    if (plan === undefined || plans[plan].requestsPerDay === lease.limit) return
    setLimit(lease, plan)
    this.#release(lease)
    lease.isUnreported = true
    if (!this.#isCurrent(lease)) return
    this.#state.resetAvailable(lease)
    this.#clearDenial(lease)
  }

  #clearDenial(lease: Lease): void {
    clearTimeout(lease.retryTimer)
    lease.retryTimer = undefined
    this.#state.clearDenial(lease)
  }

  #onBack(): void {
    for (const lease of this.#current.values()) this.#clearDenial(lease)
    this.#state.wakeAll()
  }
}
