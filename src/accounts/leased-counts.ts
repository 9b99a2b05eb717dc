/**
 * Counting in a process that shares quotas with others: a thread counts down what the supervisor has leased. Before that
 * is used up it asks for more; only where nothing is left must a request wait for the answer.
 *
 *   thread ── day × accountsMax + account: this account needs a lease ──▶ supervisor
 *          ◀─ null: some account has been answered, look again ──────────
 */
import { BroadcastChannel } from 'node:worker_threads'
import { accountsMax } from '../limits.ts'
import { type Counted, Counts, refusal } from './counts.ts'
import { dayOf } from './days.ts'
import {
  addTo,
  countIn,
  type LeaseCells,
  leaseCells,
  leaseStates,
  type SharedAccounts,
  tagIn,
  tagOf,
} from './shared.ts'
import type { Store } from './store.ts'

/** A request waits this long for the shared quota store, then it is unavailable. */
const settleMsMax = 4000
/** Waiting requests look again so often, even if no answer is heard. */
const lookAgainMs = 100

interface Waiting {
  readonly access: Counted
  readonly until: number
  readonly resolve: (result: number) => void
}

export class LeasedCounts {
  readonly #counts: Counts
  readonly #cells: LeaseCells
  readonly #channel: BroadcastChannel
  readonly #clock: () => number
  #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(shared: SharedAccounts, store: Store, clock: () => number) {
    this.#counts = new Counts(shared, store)
    this.#cells = leaseCells(shared)
    this.#clock = clock
    this.#channel = new BroadcastChannel(shared.channel)
    this.#channel.onmessage = ({ data }) => {
      if (data === null) this.#lookAgain()
    }
    this.#channel.unref()
  }

  take(access: Counted, now: number): number {
    const { left, available, lowWater } = this.#cells
    const { account } = access
    const day = dayOf(now)
    const tag = tagOf(day)
    for (;;) {
      const cell = Atomics.load(left, account)
      if (tagIn(cell) !== tag || countIn(cell) === 0) return this.#refuse(account, day)
      if (Atomics.compareExchange(left, account, cell, cell - 1) !== cell) continue
      access.countedDay = day
      const count = this.#counts.add(account, day)
      if (countIn(cell) - 1 <= lowWater[account]!) this.#ask(account, day)
      return Math.max(countIn(Atomics.load(available, account)) - count, 0)
    }
  }

  /** The same, once the shared quota store has answered; refuses as unavailable if it does not. */
  settle(access: Counted): Promise<number> {
    return new Promise((resolve) => {
      this.#waiting.push({ access, until: Date.now() + settleMsMax, resolve })
      this.#timer ??= setInterval(() => this.#lookAgain(true), lookAgainMs)
      this.#lookAgain()
    })
  }

  remaining(access: Counted, now: number): number {
    const day = dayOf(now)
    const cell = Atomics.load(this.#cells.available, access.account)
    const available = tagIn(cell) === tagOf(day) ? countIn(cell) : access.limit
    return Math.max(available - this.#counts.countOf(access.account, day), 0)
  }

  giveBack(access: Counted): void {
    addTo(this.#cells.left, access.account, tagOf(access.countedDay), 1)
    this.#counts.giveBack(access)
  }

  close(): void {
    this.#lookAgain()
    for (const { resolve } of this.#waiting) resolve(refusal.unavailable)
    clearInterval(this.#timer)
    this.#channel.close()
  }

  #refuse(account: number, day: number): number {
    this.#ask(account, day)
    const cell = Atomics.load(this.#cells.state, account)
    if (tagIn(cell) !== tagOf(day)) return refusal.unsettled
    if (countIn(cell) === leaseStates.exhausted) return refusal.exhausted
    return countIn(cell) === leaseStates.unavailable ? refusal.unavailable : refusal.unsettled
  }

  /** One question an account at a time, however many threads and requests want it. */
  #ask(account: number, day: number): void {
    if (Atomics.exchange(this.#cells.asked, account, 1) === 0) this.#post(account, day)
  }

  #post(account: number, day: number): void {
    this.#channel.postMessage(day * accountsMax + account)
  }

  /** @param insist asks once more for those that still wait: an answer may have been lost with a failed thread */
  #lookAgain(insist = false): void {
    const waiting = this.#waiting
    const now = this.#clock()
    this.#waiting = waiting.filter(({ access, until, resolve }) => {
      const result = this.take(access, now)
      if (result === refusal.unsettled && Date.now() < until) return true
      resolve(result === refusal.unsettled ? refusal.unavailable : result)
      return false
    })
    if (insist)
      for (const account of new Set(this.#waiting.map(({ access }) => access.account))) this.#post(account, dayOf(now))
    if (this.#waiting.length > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
