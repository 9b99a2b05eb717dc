/**
 * The supervisor's side of quotas that servers share. The lease manager leases parts of each account's quota from the quota store,
 * puts them where threads count them down, requests more before they are used up, and releases what is left.
 *
 *   thread ── shared state ──▶ lease manager ── leases ──▶ quota store        lease table: the leases of this server,
 *          ◀─ grant or denial ─              ◀─ grants ──                     by account and day
 *
 * A lease that a dead server held is lost until the day ends: nobody knows how much of it was used, and the quota is never
 * exceeded. So leases are small, end soon, and all but a little of what is left is released (lease.ts).
 */
import type { Logger } from 'pino'
import { dayOfMs } from '../../calendar.ts'
import { plans } from '../../plans.ts'
import type { Store } from '../../store/store.ts'
import { type Clocks, systemClocks } from '../quota.ts'
import { fittingSize, hasExpired, keptSize, type Lease, setLimit } from './lease.ts'
import { LeaseTable } from './lease-table.ts'
import { PreviousInstances } from './previous-instances.ts'
import { QuotaStore, type QuotaStoreOptions } from './quota-store.ts'
import { denials, SharedLeaseState, type SharedLeases } from './shared-state.ts'

/** After a denial, the store is asked again this much later: another server may have released something. */
export const deniedMs = 500
export const reviewMs = 500
/** How often a lease is retried while the requests of earlier processes are not reported. */
const unreportedMs = 20
const unreportedWarning =
  'the quota store may not know the requests that this server answered before its start; retrying'
/** The most leases in one report. Such a report takes the store some milliseconds. */
const reportLeasesMax = 256

export interface LeaseManagerOptions extends QuotaStoreOptions {
  readonly clocks?: Clocks | undefined
}

export class LeaseManager {
  readonly #state: SharedLeaseState
  readonly #table: LeaseTable
  readonly #quotas: QuotaStore
  readonly #previous: PreviousInstances
  readonly #log: Logger
  readonly #failOpen: boolean
  readonly #clocks: Clocks
  readonly #timer: NodeJS.Timeout
  #isClosing = false
  #isReportFailing = false
  /** Rises with each change of accounts that may be a change of plan. */
  #planGeneration = 0

  constructor(shared: SharedLeases, store: Store, { clocks, ...options }: LeaseManagerOptions) {
    this.#failOpen = options.failOpen
    this.#clocks = clocks ?? systemClocks
    this.#state = new SharedLeaseState(shared, (account, day) => this.#onQuestion(account, day))
    this.#table = new LeaseTable(store, this.#state)
    this.#log = options.log
    this.#previous = new PreviousInstances(store, dayOfMs(this.#clocks.wall()))
    this.#quotas = new QuotaStore(
      options,
      () => this.#onStoreBack(),
      () => this.#onEpoch(),
    )
    this.#timer = setInterval(() => this.#reviewAll(), reviewMs)
  }

  /** Resolves when the store can be asked, or when the first attempt to reach it has failed. */
  async connect(): Promise<void> {
    await this.#quotas.connect()
    await this.#quotas.poll()
  }

  get isStoreUp(): boolean {
    return this.#quotas.isUp
  }

  /** How many leases were sent to the store until now. */
  get questions(): number {
    return this.#quotas.questions
  }

  /** Makes the next review check the plan of each lease. Call it when accounts have changed. */
  checkPlans(): void {
    this.#planGeneration++
  }

  /** Releases all leases. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#timer)
    const leases = [...this.#table.current()]
    do await Promise.all(leases.map(({ exchange }) => exchange))
    while (leases.some(({ exchange }) => exchange !== undefined))
    for (const lease of leases) {
      clearTimeout(lease.retryTimer)
      this.#releaseLeft(lease, 0)
    }
    await this.#report(leases)
    this.#quotas.close()
    this.#state.close()
  }

  #onQuestion(account: number, day: number): void {
    const lease = this.#table.open(account, day)
    if (lease !== undefined) this.#request(lease)
  }

  #request(lease: Lease): void {
    if (lease.exchange !== undefined || lease.retryTimer !== undefined || this.#isClosing) return
    // Before that report, the store would grant requests that earlier processes have already used.
    if (this.#quotas.isUp && !this.#previous.isReported) {
      this.#delay(lease, unreportedMs, () => this.#request(lease))
      return
    }
    lease.nextSize = fittingSize(lease, this.#clocks.monotonic())
    lease.exchange = this.#quotas.exchange([lease], lease.nextSize).then(
      ({ granted, recoveryMs }) => {
        lease.exchange = undefined
        if (recoveryMs > 0 && this.#table.isCurrent(lease)) {
          this.#delay(lease, recoveryMs, () => this.#request(lease))
        } else this.#answer(lease, granted, denials.exhausted)
      },
      () => {
        lease.exchange = undefined
        this.#answerWithoutStore(lease)
      },
    )
  }

  /** Reports the leases that changed. If a report fails, a later review repeats it. */
  async #report(leases: readonly Lease[]): Promise<void> {
    const unreported = leases.filter((lease) => lease.isUnreported)
    for (let first = 0; first < unreported.length && this.#quotas.isConnected; first += reportLeasesMax) {
      // Meanwhile a request may have reported some of them.
      const batch = unreported
        .slice(first, first + reportLeasesMax)
        .filter((lease) => lease.isUnreported && lease.exchange === undefined)
      if (batch.length === 0) continue
      const exchange = this.#quotas.exchange(batch).then(
        () => true,
        () => false,
      )
      for (const lease of batch) lease.exchange = exchange
      const isReported = await exchange
      for (const lease of batch) {
        lease.exchange = undefined
        // A thread may have asked during the report.
        if (this.#table.isCurrent(lease) && this.#state.isAsked(lease.account)) this.#request(lease)
      }
      if (!isReported) return
    }
  }

  /** Without the store, QUOTA_FAIL decides: the server itself grants up to the whole quota, or grants nothing. */
  #answerWithoutStore(lease: Lease): void {
    const used = lease.granted + this.#previous.usedOn(lease.day, lease.account)
    const granted = this.#failOpen ? Math.min(lease.nextSize, lease.limit - used) : 0
    if (granted > 0) {
      lease.granted += granted
      lease.isUnreported = true
    }
    this.#answer(lease, Math.max(granted, 0), this.#failOpen ? denials.exhausted : denials.unavailable)
  }

  #answer(lease: Lease, granted: number, denied: number): void {
    // A lease that is not current is one for another day. No thread will count what is granted for that day.
    if (!this.#table.isCurrent(lease)) return
    if (granted > 0) lease.grantedAt = this.#clocks.monotonic()
    else this.#delay(lease, deniedMs, () => this.#endDenial(lease))
    this.#state.answer(lease, granted, denied)
  }

  /** The next request asks the store and waits. While the store is away, the next request is denied at once, and asks again. */
  #endDenial(lease: Lease): void {
    if (this.#quotas.isUp) this.#state.clearDenial(lease)
    else this.#state.closeQuestion(lease.account)
  }

  /** Calls `then` after `ms`. Until then nothing is requested for the account, and a thread's question stays open. */
  #delay(lease: Lease, ms: number, then: () => void): void {
    lease.retryTimer = setTimeout(() => {
      lease.retryTimer = undefined
      then()
    }, ms)
  }

  #reviewAll(): void {
    this.#table.keepOnly(dayOfMs(this.#clocks.wall()))
    if (!this.#quotas.isConnected) return
    if (!this.#previous.isReported) this.#reportPrevious()
    void this.#quotas.poll().then((recalled) => this.#review(new Set(recalled)))
  }

  /** @param recalled keys of quotas that other servers need */
  #review(recalled: ReadonlySet<string>): void {
    if (this.#isClosing) return
    const now = this.#clocks.monotonic()
    const unreported: Lease[] = []
    for (const lease of this.#table.current()) {
      if (recalled.has(lease.key) && this.#state.leftOf(lease) > 0) lease.isRecalled = true
      if (lease.exchange !== undefined) continue
      if (lease.planGeneration !== this.#planGeneration) this.#checkPlan(lease)
      if (hasExpired(lease, now)) this.#releaseLeft(lease, keptSize(lease))
      if (lease.isUnreported) unreported.push(lease)
    }
    void this.#report(unreported)
  }

  /** Takes back what threads have not counted, except `kept` requests. The next report tells the store. */
  #releaseLeft(lease: Lease, kept: number): void {
    const taken = this.#state.takeLeft(lease, kept)
    lease.granted -= taken
    lease.isUnreported ||= taken > 0
  }

  #checkPlan(lease: Lease): void {
    lease.planGeneration = this.#planGeneration
    const plan = this.#table.account(lease.account)?.plan
    if (plan === undefined || plans[plan].requestsPerDay === lease.limit) return
    setLimit(lease, plan)
    this.#releaseLeft(lease, 0)
    lease.isUnreported = true
    this.#state.resetAvailable(lease)
    this.#clearDenial(lease)
  }

  #clearDenial(lease: Lease): void {
    clearTimeout(lease.retryTimer)
    lease.retryTimer = undefined
    this.#state.clearDenial(lease)
  }

  /** Requests that wait ask again by themselves. */
  #onStoreBack(): void {
    for (const lease of this.#table.current()) this.#clearDenial(lease)
  }

  /** The store may be another one, or may have lost its data, so it gets a report of all leases at once. */
  #onEpoch(): void {
    const leases = [...this.#table.current()]
    for (const lease of leases) lease.isUnreported ||= lease.granted > 0
    void this.#report(leases)
    this.#reportPrevious()
  }

  #reportPrevious(): void {
    this.#previous.report(this.#quotas).then(
      () => {
        this.#isReportFailing = false
      },
      (error: Error) => {
        if (!this.#isReportFailing) this.#log.warn({ reason: error.message }, unreportedWarning)
        this.#isReportFailing = true
      },
    )
  }
}
