/**
 * The supervisor's side of quotas that servers share: it leases a part of an account's quota from the quota store, puts
 * it where the threads count it down, and asks for more before it is used up.
 *
 * A lease that a dead server held is lost until the day's end: nobody knows how much of it was used, and the quota is
 * never passed. So leases are small and end soon, and what is left of one goes back.
 */
import { randomUUID } from 'node:crypto'
import { BroadcastChannel } from 'node:worker_threads'
import type { Logger } from 'pino'
import { dateOfDay, dayOfMs } from '../../calendar.ts'
import { accountsMax } from '../../limits.ts'
import { plans } from '../../plans.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import type { Account } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import {
  addTo,
  countIn,
  type LeaseCells,
  leaseCells,
  leaseStates,
  pack,
  type SharedAccounts,
  slotOf,
  tagIn,
  tagOf,
} from '../cells.ts'
import { type Clocks, systemClocks } from '../clocks.ts'
import { availableIn, isOver, type Lease, newLease, nextWant, setLimit } from './lease.ts'
import type { Answered } from './leased-counts.ts'
import { type Answer, QuotaStore } from './redis.ts'

/** After a refusal the store is asked again so much later: another server may have given something back. */
const refusedMs = 500
const tickMs = 500
/** A day's lease is kept for so long after another day's has taken its place: clocks are set, ahead and back. */
const asideMsMax = 3_600_000

export interface LeasesOptions {
  readonly url: string
  readonly failOpen: boolean
  readonly log: Logger
  readonly clocks?: Clocks | undefined
}

export class Leases {
  readonly #store: Store
  readonly #cells: LeaseCells
  readonly #channel: BroadcastChannel
  readonly #quotaStore: QuotaStore
  readonly #failOpen: boolean
  readonly #log: Logger
  readonly #counted: Int32Array
  readonly #clocks: Clocks
  /** By account number: of the day that was last asked for, whose the cells are. */
  readonly #leases = new Map<number, Lease>()
  /** Those of other days, by day × accountsMax + account: what was granted must be known when a clock is set back. */
  readonly #aside = new Map<number, Lease>()
  readonly #timer: NodeJS.Timeout
  /** Accounts whose record could not be read, and of which that was told. */
  readonly #damaged = new Set<number>()
  #away = false
  #closing = false
  /** Rises with each change that may be one of plans. */
  #planChange = 0

  constructor(shared: SharedAccounts, store: Store, { url, failOpen, log, clocks }: LeasesOptions) {
    this.#store = store
    this.#cells = leaseCells(shared)
    this.#counted = new Int32Array(shared.counted)
    this.#clocks = clocks ?? systemClocks
    this.#failOpen = failOpen
    this.#log = log
    this.#quotaStore = new QuotaStore(
      url,
      randomUUID().slice(0, 8),
      () => this.#back(),
      (reason) => this.#gone(reason),
    )
    this.#channel = new BroadcastChannel(shared.channel)
    this.#channel.onmessage = ({ data }) => {
      if (typeof data === 'number') this.#asked(data % accountsMax, Math.floor(data / accountsMax))
    }
    this.#timer = setInterval(() => this.#tick(), tickMs)
  }

  /** Returns when the store can be asked, or the first attempt to reach it has failed. */
  async connect(): Promise<void> {
    await this.#quotaStore.connect()
  }

  /** Accounts may be on other plans now. */
  lookAgain(): void {
    this.#planChange++
  }

  /** Gives all leases back. */
  async close(): Promise<void> {
    this.#closing = true
    clearInterval(this.#timer)
    await Promise.all([...this.#leases.values()].map((lease) => this.#end(lease)))
    this.#quotaStore.close()
    this.#channel.close()
  }

  async #end(lease: Lease): Promise<void> {
    await lease.asking
    clearTimeout(lease.paced)
    if (lease.granted > 0 && this.#quotaStore.ready) await this.#giveBack(lease)
  }

  #asked(account: number, day: number): void {
    const lease = this.#leaseOf(account, day)
    if (lease !== undefined) this.#ask(lease)
  }

  /** The account's lease of that day, which the cells are for from now on; undefined if there is no such account. */
  #leaseOf(account: number, day: number): Lease | undefined {
    const current = this.#leases.get(account)
    if (current?.day === day) return current
    const lease = this.#aside.get(placeOf(account, day)) ?? this.#newLease(account, day)
    if (lease === undefined) return undefined
    if (current !== undefined) this.#setAside(current)
    this.#aside.delete(placeOf(account, day))
    this.#leases.set(account, lease)
    const cell = Atomics.load(this.#counted, slotOf(account, day))
    lease.countedBefore = Math.max(lease.granted - (tagIn(cell) === tagOf(day) ? countIn(cell) : 0), 0)
    return lease
  }

  #newLease(account: number, day: number): Lease | undefined {
    const record = this.#accountOf(account)
    return record && newLease(account, record.name, day, record.plan, this.#planChange)
  }

  /** A damaged record is its own account's trouble: it gets no lease. */
  #accountOf(number: number): Account | undefined {
    try {
      return this.#store.account(number)
    } catch (error) {
      if (!(error instanceof AccountsError)) throw error
      if (!this.#damaged.has(number)) this.#log.error({ account: number }, error.message)
      this.#damaged.add(number)
      return undefined
    }
  }

  /** Another day's takes its place: what is left of it no thread can count any more. */
  #setAside(lease: Lease): void {
    clearTimeout(lease.paced)
    lease.paced = undefined
    lease.granted -= this.#takeLeft(lease)
    lease.asideSince = this.#clocks.steady()
    this.#aside.set(placeOf(lease.account, lease.day), lease)
    Atomics.store(this.#cells.asked, lease.account, 0)
  }

  #ask(lease: Lease): void {
    if (lease.asking !== undefined || lease.paced !== undefined || this.#closing) return
    lease.want = nextWant(lease, this.#clocks.steady())
    lease.asking = this.#exchange(lease, lease.want).then(
      (answer) => {
        lease.asking = undefined
        if (answer.settlingMs > 0 && this.#isCurrent(lease))
          this.#pace(lease, answer.settlingMs, () => this.#ask(lease))
        else this.#settle(lease, answer.granted, leaseStates.exhausted)
      },
      () => {
        lease.asking = undefined
        this.#withoutStore(lease)
      },
    )
  }

  /** Tells the store what is held, and asks for `want` more. Rejects if it can't be asked. */
  async #exchange(lease: Lease, want: number): Promise<Answer> {
    lease.unheard = true
    const question = { ...lease, date: dateOfDay(lease.day), account: lease.name, mine: lease.granted, want }
    const answer = await this.#quotaStore.ask(question).catch((error: Error) => {
      this.#gone(error.message)
      throw error
    })
    this.#heard()
    lease.unheard = false
    lease.others = answer.others
    lease.granted += answer.granted
    return answer
  }

  /** Tells the store what is held. If it can't be told now, it is with the next tick that finds it there. */
  #tell(lease: Lease): Promise<void> {
    const done = () => {
      lease.asking = undefined
      // A thread may have asked meanwhile.
      if (this.#isCurrent(lease) && Atomics.load(this.#cells.asked, lease.account) === 1) this.#ask(lease)
    }
    lease.asking = this.#exchange(lease, 0).then(done, done)
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

  /** Gives threads their answer: a grant, or the reason why there is none. */
  #settle(lease: Lease, granted: number, refused: number): void {
    if (!this.#isCurrent(lease)) {
      // No thread will count it: the next question of its day, if one comes, gives it back.
      lease.granted -= granted
      return
    }
    const { left, available, state, lowWater, asked } = this.#cells
    const { account } = lease
    const tag = tagOf(lease.day)
    // What callers are told never rises within a day, so it does not follow what others give back.
    const before = available[account]!
    const now = availableIn(lease)
    Atomics.store(available, account, pack(tag, tagIn(before) === tag ? Math.min(countIn(before), now) : now))
    Atomics.store(lowWater, account, granted >> 1)
    if (granted > 0) {
      lease.grantedAt = this.#clocks.steady()
      if (!addTo(left, account, tag, granted)) Atomics.store(left, account, pack(tag, granted))
    }
    Atomics.store(state, account, pack(tag, granted > 0 ? leaseStates.unsettled : refused))
    if (granted > 0) Atomics.store(asked, account, 0)
    else this.#pace(lease, refusedMs, () => Atomics.store(asked, account, 0))
    this.#channel.postMessage({ account } satisfies Answered)
  }

  /** The cells are another day's: an answer that comes after midnight must not touch them. */
  #isCurrent(lease: Lease): boolean {
    return this.#leases.get(lease.account) === lease
  }

  /** The account is not asked about before its time; a thread's question stays open until then. */
  #pace(lease: Lease, ms: number, then: () => void): void {
    lease.paced = setTimeout(() => {
      lease.paced = undefined
      then()
    }, ms)
  }

  #tick(): void {
    const now = this.#clocks.steady()
    const today = dayOfMs(this.#clocks.wall())
    for (const lease of this.#leases.values()) {
      if (lease.day === today) lease.asideSince = undefined
      else lease.asideSince ??= now
      if (lease.asideSince !== undefined && now - lease.asideSince > asideMsMax) this.#drop(lease)
      else if (lease.asking === undefined && this.#quotaStore.ready) this.#review(lease)
    }
    // In the order in which they were set aside.
    for (const [place, lease] of this.#aside) {
      if (now - lease.asideSince! < asideMsMax) break
      this.#aside.delete(place)
    }
  }

  #review(lease: Lease): void {
    const old = isOver(lease, this.#clocks.steady()) && this.#leftOf(lease) > 0
    const moved = lease.planChange !== this.#planChange && this.#planChanged(lease)
    if (old || moved) this.#giveBack(lease)
    else if (lease.unheard) this.#tell(lease)
  }

  /** Nobody has asked for an account since its day passed. */
  #drop(lease: Lease): void {
    clearTimeout(lease.paced)
    Atomics.store(this.#cells.asked, lease.account, 0)
    this.#leases.delete(lease.account)
  }

  #giveBack(lease: Lease): Promise<void> {
    lease.granted -= this.#takeLeft(lease)
    return this.#tell(lease)
  }

  /** Takes back from the threads what they have not counted. */
  #takeLeft(lease: Lease): number {
    const { left } = this.#cells
    const tag = tagOf(lease.day)
    for (;;) {
      const cell = Atomics.load(left, lease.account)
      if (tagIn(cell) !== tag) return 0
      if (Atomics.compareExchange(left, lease.account, cell, pack(tag, 0)) === cell) return countIn(cell)
    }
  }

  #planChanged(lease: Lease): boolean {
    lease.planChange = this.#planChange
    const plan = this.#accountOf(lease.account)?.plan
    if (plan === undefined || plans[plan].requestsPerDay === lease.limit) return false
    setLimit(lease, plan)
    // A new plan begins a new count down for the caller, and an old refusal no longer holds.
    Atomics.store(this.#cells.available, lease.account, pack(tagOf(lease.day), availableIn(lease)))
    this.#reopen(lease)
    return true
  }

  /** The next request asks anew, whatever the last answer was. */
  #reopen(lease: Lease): void {
    clearTimeout(lease.paced)
    lease.paced = undefined
    Atomics.store(this.#cells.state, lease.account, pack(tagOf(lease.day), leaseStates.unsettled))
    Atomics.store(this.#cells.asked, lease.account, 0)
  }

  #leftOf(lease: Lease): number {
    const cell = Atomics.load(this.#cells.left, lease.account)
    return tagIn(cell) === tagOf(lease.day) ? countIn(cell) : 0
  }

  /** The store may be another than before, or have forgotten: it is told at once what this server holds. */
  #back(): void {
    this.#heard()
    for (const lease of this.#leases.values()) {
      this.#reopen(lease)
      if (lease.granted > 0 && lease.asking === undefined) this.#tell(lease)
    }
    this.#channel.postMessage(null satisfies Answered)
  }

  #heard(): void {
    if (this.#away) this.#log.info('the quota store is back')
    this.#away = false
  }

  #gone(reason: string): void {
    if (this.#away) return
    this.#away = true
    const then = this.#failOpen ? 'requests are let through' : 'requests are refused'
    this.#log.warn({ reason }, `the quota store is away: ${then} once what is leased is used up`)
  }
}

/** As threads ask: see leased-counts.ts. */
const placeOf = (account: number, day: number): number => day * accountsMax + account
