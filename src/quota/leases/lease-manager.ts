/**
 * The supervisor's side of quotas that servers share: it leases a part of an account's quota from the quota store, puts
 * it where the threads count it down, asks for more before it is used up, and gives back what they leave.
 *
 *   thread ─ board ─▶ keeper ─ lender ─▶ quota store          book: which leases there are, by account and day
 *          ◀───────          ◀────────
 *
 * A lease that a dead server held is lost until the day's end: nobody knows how much of it was used, and the quota is
 * never passed. So leases are small and end soon, and what is left of one goes back, all but what lease.ts keeps.
 */
import type { Logger } from 'pino'
import { dayOfMs } from '../../calendar.ts'
import { plans } from '../../plans.ts'
import type { Store } from '../../store/store.ts'
import { type Clocks, systemClocks } from '../clocks.ts'
import { isOver, keptOf, type Lease, nextWant, setLimit } from './lease.ts'
import { LeaseTable } from './lease-table.ts'
import { PreviousInstances } from './previous-instances.ts'
import { QuotaClient } from './quota-client.ts'
import type { Recalled } from './redis.ts'
import { leaseStates, SharedLeaseState, type SharedLeases } from './shared-state.ts'

/** After a refusal the store is asked again so much later: another server may have given something back. */
export const refusedMs = 500
export const reviewMs = 500
/** Leases of which the store is told at once: that takes it some milliseconds. */
const toldAtOnce = 256

export interface LeaseManagerOptions {
  readonly url: string
  readonly failOpen: boolean
  readonly log: Logger
  readonly clocks?: Clocks | undefined
}

export class LeaseManager {
  readonly #board: SharedLeaseState
  readonly #book: LeaseTable
  readonly #lender: QuotaClient
  readonly #predecessors: PreviousInstances
  readonly #log: Logger
  readonly #failOpen: boolean
  readonly #clocks: Clocks
  readonly #timer: NodeJS.Timeout
  #closing = false
  /** Rises with each change that may be one of plans. */
  #planChange = 0

  constructor(shared: SharedLeases, store: Store, { clocks, ...options }: LeaseManagerOptions) {
    this.#failOpen = options.failOpen
    this.#clocks = clocks ?? systemClocks
    this.#board = new SharedLeaseState(shared, (account, day) => this.#asked(account, day))
    this.#book = new LeaseTable(store, this.#board, options.log)
    this.#log = options.log
    this.#predecessors = new PreviousInstances(store, dayOfMs(this.#clocks.wall()))
    this.#lender = new QuotaClient(
      options,
      () => this.#up(),
      () => this.#greeted(),
    )
    this.#timer = setInterval(() => this.#reviewAll(), reviewMs)
  }

  /** Returns when the store can be asked, or the first attempt to reach it has failed. */
  async connect(): Promise<void> {
    await this.#lender.connect()
  }

  /** Whether the quota store answers. */
  get storeUp(): boolean {
    return this.#lender.up
  }

  /** What the quota store has been asked until now. */
  get questions(): number {
    return this.#lender.questions
  }

  /** Accounts may be on other plans now. */
  lookAgain(): void {
    this.#planChange++
  }

  /** Gives all leases back. */
  async close(): Promise<void> {
    this.#closing = true
    clearInterval(this.#timer)
    const leases = [...this.#book.current()]
    do await Promise.all(leases.map(({ asking }) => asking))
    while (leases.some(({ asking }) => asking !== undefined))
    for (const lease of leases) {
      clearTimeout(lease.paced)
      this.#takeLeft(lease, 0)
    }
    await this.#tell(leases)
    this.#lender.close()
    this.#board.close()
  }

  #asked(account: number, day: number): void {
    const lease = this.#book.open(account, day, this.#planChange, this.#clocks.steady())
    if (lease !== undefined) this.#ask(lease)
  }

  #ask(lease: Lease): void {
    if (lease.asking !== undefined || lease.paced !== undefined || this.#closing) return
    lease.want = nextWant(lease, this.#clocks.steady())
    lease.asking = this.#lender.ask(lease).then(
      (answer) => {
        lease.asking = undefined
        if (answer.settlingMs > 0 && this.#book.isCurrent(lease))
          this.#pace(lease, answer.settlingMs, () => this.#ask(lease))
        else this.#settle(lease, answer.granted, leaseStates.exhausted)
      },
      () => {
        lease.asking = undefined
        this.#withoutStore(lease)
      },
    )
  }

  /** Tells the store what it has not heard of these. The next review that finds the store there tells the rest. */
  async #tell(leases: readonly Lease[]): Promise<void> {
    const unheard = leases.filter((lease) => lease.unheard)
    for (let first = 0; first < unheard.length && this.#lender.ready; first += toldAtOnce) {
      // Meanwhile some have been asked about, which tells of them, too.
      const some = unheard
        .slice(first, first + toldAtOnce)
        .filter((lease) => lease.unheard && lease.asking === undefined)
      if (some.length > 0 && !(await this.#tellAtOnce(some))) return
    }
  }

  /** Whether the store has heard it. */
  #tellAtOnce(leases: readonly Lease[]): Promise<boolean> {
    const done = (isHeard: boolean): boolean => {
      for (const lease of leases) {
        lease.asking = undefined
        // A thread may have asked meanwhile.
        if (this.#book.isCurrent(lease) && this.#board.isAsked(lease.account)) this.#ask(lease)
      }
      return isHeard
    }
    const telling = this.#lender.tell(leases).then(
      () => done(true),
      () => done(false),
    )
    for (const lease of leases) lease.asking = telling
    return telling
  }

  /** The quota store is away: the operator has chosen what that means. */
  #withoutStore(lease: Lease): void {
    const granted = this.#failOpen ? Math.min(lease.want, lease.limit - lease.granted) : 0
    if (granted > 0) {
      lease.granted += granted
      lease.unheard = true
    }
    this.#settle(lease, Math.max(granted, 0), this.#failOpen ? leaseStates.exhausted : leaseStates.unavailable)
  }

  #settle(lease: Lease, granted: number, refused: number): void {
    if (!this.#book.isCurrent(lease)) {
      // No thread will count it: the next question of its day, if one comes, gives it back.
      lease.granted -= granted
      return
    }
    if (granted > 0) lease.grantedAt = this.#clocks.steady()
    else this.#pace(lease, refusedMs, () => this.#endRefusal(lease))
    this.#board.answer(lease, granted, refused)
  }

  /** The next request asks, and waits for the answer unless the store is away: then it is refused until that is back. */
  #endRefusal(lease: Lease): void {
    if (this.#lender.up) this.#board.reopen(lease)
    else this.#board.closeQuestion(lease.account)
  }

  /** The account is not asked about before its time; a thread's question stays open until then. */
  #pace(lease: Lease, ms: number, then: () => void): void {
    lease.paced = setTimeout(() => {
      lease.paced = undefined
      then()
    }, ms)
  }

  #reviewAll(): void {
    this.#book.forgetOld(this.#clocks.steady(), dayOfMs(this.#clocks.wall()))
    if (!this.#lender.ready) return
    void this.#lender.look().then((recalled) => this.#recall(recalled))
    this.#review(this.#book.current())
  }

  #recall(recalled: readonly Recalled[]): void {
    const leases = recalled.map(({ account, day }) => this.#book.ofDay(account, day))
    const held = leases.filter((lease) => lease !== undefined && this.#board.leftOf(lease) > 0) as Lease[]
    for (const lease of held) lease.recalled = true
    this.#review(held)
  }

  #review(leases: Iterable<Lease>): void {
    const now = this.#clocks.steady()
    const unheard: Lease[] = []
    for (const lease of leases) {
      if (lease.asking !== undefined) continue
      if (lease.planChange !== this.#planChange) this.#lookAtPlan(lease)
      if (isOver(lease, now)) this.#takeLeft(lease, keptOf(lease))
      if (lease.unheard) unheard.push(lease)
    }
    void this.#tell(unheard)
  }

  #takeLeft(lease: Lease, kept: number): void {
    const taken = this.#board.takeLeft(lease, kept)
    lease.granted -= taken
    lease.unheard ||= taken > 0
  }

  #lookAtPlan(lease: Lease): void {
    lease.planChange = this.#planChange
    const plan = this.#book.account(lease.account)?.plan
    if (plan === undefined || plans[plan].requestsPerDay === lease.limit) return
    setLimit(lease, plan)
    this.#takeLeft(lease, 0)
    lease.unheard = true
    this.#board.tellAvailable(lease)
    this.#reopen(lease)
  }

  /** An old refusal no longer holds. */
  #reopen(lease: Lease): void {
    clearTimeout(lease.paced)
    lease.paced = undefined
    this.#board.reopen(lease)
  }

  /** The store answers again: whoever was refused while it was away is not refused for that any more. */
  #up(): void {
    for (const lease of this.#book.current()) this.#reopen(lease)
    this.#board.lookAgain()
  }

  /** The store may be another than before, or have forgotten: it is told at once what this server holds. */
  #greeted(): void {
    const leases = [...this.#book.current()]
    for (const lease of leases) lease.unheard ||= lease.granted > 0
    void this.#tell(leases)
    this.#tellOfPredecessors().catch((error: Error) => {
      this.#log.warn({ reason: error.message }, 'what this server used before its start is not known to be told')
    })
  }

  /** A store that was restarted or emptied may have forgotten them. What fails is done when the store is back once more. */
  async #tellOfPredecessors(): Promise<void> {
    const { since } = this.#lender
    if (since === undefined) return
    const { ids, day } = this.#predecessors
    if (this.#predecessors.isNews(since)) {
      for (const used of this.#predecessors.used()) await this.#lender.tellOf(ids, day, used)
    }
    this.#predecessors.noteTold(since, this.#lender.id)
  }
}
