/**
 * The supervisor's side of quotas that servers share: it leases a part of an account's quota from the quota store, puts
 * it where the threads count it down, asks for more before it is used up, and gives back what they leave.
 *
 *   thread ─ board ─▶ keeper ─ lender ─▶ quota store          book: which leases there are, by account and day
 *          ◀───────          ◀────────
 *
 * A lease that a dead server held is lost until the day's end: nobody knows how much of it was used, and the quota is
 * never passed. So leases are small and end soon, and what is left of one goes back.
 */
import type { Logger } from 'pino'
import { dayOfMs } from '../../calendar.ts'
import { plans } from '../../plans.ts'
import type { Store } from '../../store/store.ts'
import { type Clocks, systemClocks } from '../clocks.ts'
import { Board, leaseStates, type SharedLeases } from './board.ts'
import { LeaseBook } from './book.ts'
import { isOver, type Lease, nextWant, setLimit } from './lease.ts'
import { Lender } from './lender.ts'
import { Predecessors } from './predecessors.ts'

/** After a refusal the store is asked again so much later: another server may have given something back. */
export const refusedMs = 500
export const reviewMs = 500

export interface KeeperOptions {
  readonly url: string
  readonly failOpen: boolean
  readonly log: Logger
  readonly clocks?: Clocks | undefined
}

export class LeaseKeeper {
  readonly #board: Board
  readonly #book: LeaseBook
  readonly #lender: Lender
  readonly #predecessors: Predecessors
  readonly #log: Logger
  readonly #failOpen: boolean
  readonly #clocks: Clocks
  readonly #timer: NodeJS.Timeout
  #closing = false
  /** Rises with each change that may be one of plans. */
  #planChange = 0

  constructor(shared: SharedLeases, store: Store, { clocks, ...options }: KeeperOptions) {
    this.#failOpen = options.failOpen
    this.#clocks = clocks ?? systemClocks
    this.#board = new Board(shared, (account, day) => this.#asked(account, day))
    this.#book = new LeaseBook(store, this.#board, options.log)
    this.#log = options.log
    this.#predecessors = new Predecessors(store, dayOfMs(this.#clocks.wall()))
    this.#lender = new Lender(options, () => this.#back())
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
    await Promise.all([...this.#book.current()].map((lease) => this.#end(lease)))
    this.#lender.close()
    this.#board.close()
  }

  async #end(lease: Lease): Promise<void> {
    await lease.asking
    clearTimeout(lease.paced)
    if (lease.granted > 0 && this.#lender.ready) await this.#giveBack(lease)
  }

  #asked(account: number, day: number): void {
    const lease = this.#book.open(account, day, this.#planChange, this.#clocks.steady())
    if (lease !== undefined) this.#ask(lease)
  }

  #ask(lease: Lease): void {
    if (lease.asking !== undefined || lease.paced !== undefined || this.#closing) return
    lease.want = nextWant(lease, this.#clocks.steady())
    lease.asking = this.#lender.exchange(lease, lease.want).then(
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

  /** Tells the store what is held. If it can't be told now, it is with the next review that finds it there. */
  #tell(lease: Lease): Promise<void> {
    const done = () => {
      lease.asking = undefined
      // A thread may have asked meanwhile.
      if (this.#book.isCurrent(lease) && this.#board.isAsked(lease.account)) this.#ask(lease)
    }
    lease.asking = this.#lender.exchange(lease, 0).then(done, done)
    return lease.asking
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
    else this.#pace(lease, refusedMs, () => this.#board.closeQuestion(lease.account))
    this.#board.answer(lease, granted, refused)
  }

  /** The account is not asked about before its time; a thread's question stays open until then. */
  #pace(lease: Lease, ms: number, then: () => void): void {
    lease.paced = setTimeout(() => {
      lease.paced = undefined
      then()
    }, ms)
  }

  #reviewAll(): void {
    if (this.#lender.ready) void this.#lender.look()
    this.#book.forgetOld(this.#clocks.steady(), dayOfMs(this.#clocks.wall()))
    for (const lease of this.#book.current()) {
      if (lease.asking === undefined && this.#lender.ready) this.#review(lease)
    }
  }

  #review(lease: Lease): void {
    const old = isOver(lease, this.#clocks.steady()) && this.#board.leftOf(lease) > 0
    const moved = lease.planChange !== this.#planChange && this.#planChanged(lease)
    if (old || moved) this.#giveBack(lease)
    else if (lease.unheard) this.#tell(lease)
  }

  #giveBack(lease: Lease): Promise<void> {
    lease.granted -= this.#board.takeLeft(lease)
    return this.#tell(lease)
  }

  #planChanged(lease: Lease): boolean {
    lease.planChange = this.#planChange
    const plan = this.#book.account(lease.account)?.plan
    if (plan === undefined || plans[plan].requestsPerDay === lease.limit) return false
    setLimit(lease, plan)
    this.#board.tellAvailable(lease)
    this.#reopen(lease)
    return true
  }

  /** An old refusal no longer holds. */
  #reopen(lease: Lease): void {
    clearTimeout(lease.paced)
    lease.paced = undefined
    this.#board.reopen(lease)
  }

  /** The store may be another than before, or have forgotten: it is told at once what this server holds. */
  #back(): void {
    for (const lease of this.#book.current()) {
      this.#reopen(lease)
      if (lease.granted > 0 && lease.asking === undefined) this.#tell(lease)
    }
    this.#board.lookAgain()
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
