/**
 * The supervisor's side of quotas that servers share. The lease manager leases parts of each account's quota from the
 * database and puts them into shared memory, where threads count them down. It requests more before they are used up,
 * and releases the rest.
 *
 *   thread ── shared state ──▶ lease manager ── leases ──▶ database        lease table: the leases of this server,
 *          ◀─ grant or denial ─              ◀─ grants ──                     by account and day
 *
 * The lease of a dead server is lost until the day ends. Nobody knows how much of it was used, and granting it again
 * could exceed the quota. So leases are small and expire soon, and the server then releases most of what is left
 * (lease.ts).
 */
import { dayOfMs } from '../../calendar.ts'
import { plans } from '../../plans.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import type { DatabasePresence } from '../../postgres/presence.ts'
import type { Store } from '../../store/store.ts'
import { type Clocks, systemClocks } from '../quota.ts'
import { fittingSize, hasExpired, keptSize, type Lease, setLimit } from './lease.ts'
import { LeaseExchange } from './lease-exchange.ts'
import { LeaseTable } from './lease-table.ts'
import { denials, SharedLeaseState, type SharedLeases } from './shared-state.ts'
import { UsedBefore } from './used-before.ts'

/** The pause between a denial and the next question to the database. Another server may release requests meanwhile. */
export const deniedMs = 500
export const reviewMs = 500
/** The pause before a lease is retried while the counts of earlier processes are not reported (used-before.ts). */
const unreportedMs = 20
/** How long a stopping server keeps waiting for exchanges in flight. */
const closeMsMax = 1500

export interface LeaseManagerOptions {
  readonly connection: PostgresConnection
  readonly presence: DatabasePresence
  /** The setting QUOTA_FAIL=open: requests are allowed while the database is unavailable and nothing is leased. */
  readonly failOpen: boolean
  readonly clocks?: Clocks | undefined
}

export class LeaseManager {
  readonly #store: Store
  readonly #state: SharedLeaseState
  readonly #table: LeaseTable
  readonly #exchange: LeaseExchange
  readonly #before: UsedBefore
  readonly #options: LeaseManagerOptions
  readonly #clocks: Clocks
  readonly #timer: NodeJS.Timeout
  #isClosing = false
  /** True if the counts of earlier processes are reported, or being reported, on this connection (used-before.ts). */
  #hasReported = false
  #isReviewing = false
  /** Incremented at each change of accounts, because a plan may have changed. */
  #planGeneration = 0

  constructor(shared: SharedLeases, store: Store, options: LeaseManagerOptions) {
    this.#options = options
    this.#store = store
    this.#clocks = options.clocks ?? systemClocks
    this.#state = new SharedLeaseState(shared, (account, day) => this.#onQuestion(account, day))
    this.#table = new LeaseTable(store, this.#state)
    this.#before = new UsedBefore(store, dayOfMs(this.#clocks.wall()))
    this.#exchange = new LeaseExchange(options.connection, store.serverId())
    options.connection.listen({
      onBack: () => this.#onBack(),
      onAway: (reason) => options.presence.fails('quotas', reason),
    })
    this.#takeKept()
    this.#timer = setInterval(() => this.#reviewAll(), reviewMs)
  }

  /** Resolves when the database is available, or when the first attempt to connect has failed. */
  async connect(): Promise<void> {
    await this.#options.connection.connect()
    if (this.#options.connection.isUp) await this.#poll()
  }

  /** The number of leases in all exchanges so far. */
  get questions(): number {
    return this.#exchange.leases
  }

  /** Makes the next review check the plan of each lease. Call it when accounts have changed. */
  checkPlans(): void {
    this.#planGeneration++
  }

  /** Releases all leases. If the database is unavailable, the leases are stored, and the next start takes them over. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#timer)
    const leases = [...this.#table.current()]
    const until = this.#clocks.monotonic() + closeMsMax
    do await Promise.all(leases.map(({ exchange }) => exchange))
    while (leases.some(({ exchange }) => exchange !== undefined) && this.#clocks.monotonic() < until)
    const left = new Map<Lease, number>()
    for (const lease of leases) {
      clearTimeout(lease.retryTimer)
      left.set(lease, this.#releaseLeft(lease, 0))
    }
    await this.#report(leases)
    if (leases.some(({ isUnreported }) => isUnreported)) this.#keep(left)
    this.#options.connection.close()
    this.#state.close()
  }

  #keep(left: ReadonlyMap<Lease, number>): void {
    const { process, number: exchange } = this.#exchange
    const today = dayOfMs(this.#clocks.wall())
    const leases = [...left].flatMap(([lease, rest]) =>
      lease.day === today ? [[lease.account, lease.granted + rest, rest, lease.othersGranted] as const] : [],
    )
    this.#store.write(() => this.#store.setSetting('keptLeases', { process, exchange, day: today, leases }))
  }

  /**
   * Takes over the leases that the previous process could not release. Their record is deleted first, so that no later
   * start takes them over again.
   */
  #takeKept(): void {
    const kept = this.#store.setting('keptLeases')
    if (kept === undefined) return
    this.#store.write(() => this.#store.setSetting('keptLeases', undefined))
    if (kept.day !== dayOfMs(this.#clocks.wall())) return
    this.#exchange.process = kept.process
    this.#exchange.number = kept.exchange
    for (const [account, granted, left, others] of kept.leases) {
      const lease = this.#table.open(account, kept.day)
      if (lease === undefined) continue
      lease.granted = granted
      lease.othersGranted = others
      lease.usedBefore = granted - left
      lease.isUnreported = true
      this.#answer(lease, left, denials.unavailable)
    }
  }

  #onQuestion(account: number, day: number): void {
    const lease = this.#table.open(account, day)
    if (lease !== undefined) this.#request(lease)
  }

  #request(lease: Lease): void {
    if (lease.exchange !== undefined || lease.retryTimer !== undefined || this.#isClosing) return
    // Until the counts of earlier processes are reported, the database would grant requests that they have already
    // used.
    if (this.#isUp && !this.#before.isReported) {
      this.#delay(lease, unreportedMs, () => this.#request(lease))
      return
    }
    lease.nextSize = fittingSize(lease, this.#clocks.monotonic())
    if (!this.#isUp) {
      this.#answerWithoutDatabase(lease)
      return
    }
    lease.exchange = this.#exchange.exchange(lease, lease.nextSize).then(
      ({ granted }) => {
        lease.exchange = undefined
        this.#works()
        this.#answer(lease, granted, denials.exhausted)
      },
      (error: Error) => {
        lease.exchange = undefined
        this.#fails(error)
        this.#answerWithoutDatabase(lease)
      },
    )
  }

  /** False also if the database rejected the last exchange. The next poll tries it again. */
  get #isUp(): boolean {
    return this.#options.connection.isUp && !this.#options.presence.isFailing('quotas')
  }

  #fails({ message }: Error): void {
    if (!this.#isClosing) this.#options.presence.fails('quotas', message)
  }

  #works(): void {
    if (!this.#options.presence.works('quotas')) return
    // Waiting requests repeat their questions on their own (leased-counts.ts).
    for (const lease of this.#table.current()) this.#clearDenial(lease)
  }

  /** Reports the leases that changed. If a report fails, a later review repeats it. */
  async #report(leases: readonly Lease[]): Promise<void> {
    if (!this.#options.connection.isUp) return
    const changed = leases.filter(({ isUnreported, exchange }) => isUnreported && exchange === undefined)
    const reports = changed.map((lease) => {
      lease.exchange = this.#exchange.exchange(lease, 0).then(
        () => this.#works(),
        (error: Error) => this.#fails(error),
      )
      return lease.exchange.then(() => {
        lease.exchange = undefined
        // A thread may have asked during the report.
        if (this.#table.isCurrent(lease) && this.#state.isAsked(lease.account)) this.#request(lease)
      })
    })
    await Promise.all(reports)
  }

  /**
   * Answers while the database is unavailable. QUOTA_FAIL decides: the server itself grants up to the whole quota, or
   * it grants nothing.
   */
  #answerWithoutDatabase(lease: Lease): void {
    const { failOpen } = this.#options
    const used = lease.granted - lease.usedBefore + this.#before.on(lease.day, lease.account)
    const granted = failOpen ? Math.min(lease.nextSize, lease.limit - used) : 0
    if (granted > 0) {
      lease.granted += granted
      lease.isUnreported = true
    }
    this.#answer(lease, Math.max(granted, 0), failOpen ? denials.exhausted : denials.unavailable)
  }

  #answer(lease: Lease, granted: number, denied: number): void {
    // A lease that is not current is for another day, and threads no longer count requests of that day.
    if (!this.#table.isCurrent(lease)) return
    if (granted > 0) lease.grantedAt = this.#clocks.monotonic()
    else this.#delay(lease, deniedMs, () => this.#endDenial(lease))
    this.#state.answer(lease, granted, denied)
  }

  /**
   * If the database is available, the next request asks it and waits for the answer. Otherwise the next request is
   * denied at once, and its question makes the manager try again.
   */
  #endDenial(lease: Lease): void {
    if (this.#isUp) this.#state.clearDenial(lease)
    else this.#state.closeQuestion(lease.account)
  }

  /**
   * Calls `then` after `ms`. Until then the manager requests nothing for the account, and a thread's question stays
   * open.
   */
  #delay(lease: Lease, ms: number, then: () => void): void {
    lease.retryTimer = setTimeout(() => {
      lease.retryTimer = undefined
      then()
    }, ms)
  }

  #reviewAll(): void {
    this.#table.keepOnly(dayOfMs(this.#clocks.wall()))
    if (!this.#options.connection.isUp || this.#isReviewing) return
    this.#isReviewing = true
    void this.#poll().finally(() => {
      this.#isReviewing = false
    })
  }

  /** Asks the database which quotas other servers need, and releases what expired leases have left. */
  async #poll(): Promise<void> {
    try {
      await this.#reportBefore()
      const recalled = await this.#exchange.recalled(dayOfMs(this.#clocks.wall()))
      this.#works()
      this.#review(new Set(recalled))
    } catch (error) {
      this.#fails(error as Error)
    }
  }

  /** @param recalled accounts whose quotas other servers need */
  #review(recalled: ReadonlySet<number>): void {
    if (this.#isClosing) return
    const now = this.#clocks.monotonic()
    const unreported: Lease[] = []
    for (const lease of this.#table.current()) {
      if (recalled.has(lease.account) && this.#state.leftOf(lease) > 0) lease.isRecalled = true
      if (lease.exchange !== undefined) continue
      if (lease.planGeneration !== this.#planGeneration) this.#checkPlan(lease)
      if (hasExpired(lease, now)) this.#releaseLeft(lease, keptSize(lease))
      if (lease.isUnreported) unreported.push(lease)
    }
    void this.#report(unreported)
  }

  /**
   * Takes back the requests of a lease that threads have not counted, except `kept` of them. The next report releases
   * them in the database. Returns how many were taken back.
   */
  #releaseLeft(lease: Lease, kept: number): number {
    const taken = this.#state.takeLeft(lease, kept)
    lease.granted -= taken
    lease.isUnreported ||= taken > 0
    return taken
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

  /** Reports all leases again, because the database may be another one, or restored from an older backup. */
  #onBack(): void {
    for (const lease of this.#table.current()) lease.isUnreported ||= lease.granted > 0
    this.#hasReported = false
    void this.#poll()
  }

  async #reportBefore(): Promise<void> {
    if (this.#hasReported) return
    this.#hasReported = true
    try {
      await this.#before.report((...query) => this.#options.connection.query(...query))
    } catch (error) {
      this.#hasReported = false
      throw error
    }
  }
}
