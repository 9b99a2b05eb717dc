/**
 * Counting in a process that shares quotas with others: a thread counts down what the supervisor has leased. Before that
 * is used up it asks for more; only where nothing is left must a request wait for the answer.
 *
 *   thread ── day × accountsMax + account: this account needs a lease ──▶ supervisor
 *          ◀─ { account }: this one has been answered, look again ───────
 *          ◀─ null: all may have been ───────────────────────────────────
 */
import { BroadcastChannel } from 'node:worker_threads'
import { dayOfMs } from '../../calendar.ts'
import { accountsMax } from '../../limits.ts'
import type { Store } from '../../store/store.ts'
import {
  addTo,
  countIn,
  type LeaseCells,
  leaseCells,
  leaseStates,
  type SharedAccounts,
  tagIn,
  tagOf,
} from '../cells.ts'
import { type Counted, Counts, refusal } from '../counts.ts'

/** A request waits this long for the shared quota store, then it is unavailable. */
const settleMsMax = 4000
/** Waiting requests look again so often, even if no answer is heard. */
const lookAgainMs = 100

interface Waiting {
  readonly access: Counted
  /** performance.now(): a clock that is set must not hold requests, or end their waiting. */
  readonly until: number
  readonly resolve: (result: number) => void
}

/** What a supervisor posts: the account that has been answered, or null, if that may be any. */
export type Answered = { readonly account: number } | null

export class LeasedCounts {
  readonly #counts: Counts
  readonly #cells: LeaseCells
  readonly #channel: BroadcastChannel
  readonly #clock: () => number
  /**
   * By account, each in the order of arrival. All that wait for one account wait for the same answer: as soon as one of
   * them is still unsettled, so are those behind it. An answer thus costs what it settles, however many wait.
   */
  readonly #waiting = new Map<number, Waiting[]>()
  #timer: NodeJS.Timeout | undefined

  constructor(shared: SharedAccounts, store: Store, clock: () => number) {
    this.#counts = new Counts(shared, store)
    this.#cells = leaseCells(shared)
    this.#clock = clock
    this.#channel = new BroadcastChannel(shared.channel)
    this.#channel.onmessage = ({ data }: { data: Answered | number }) => {
      if (data === null) this.#lookAgain()
      else if (typeof data === 'object') this.#settleAccount(data.account)
    }
    this.#channel.unref()
  }

  take(access: Counted, now: number): number {
    const { left, available, lowWater } = this.#cells
    const { account } = access
    const day = dayOfMs(now)
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

  /** The same, once the shared quota store has answered; refuses as unavailable if it does not. Never rejects. */
  settle(access: Counted): Promise<number> {
    return new Promise((resolve) => {
      const entry = { access, until: performance.now() + settleMsMax, resolve }
      const queue = this.#waiting.get(access.account)
      if (queue === undefined) this.#waiting.set(access.account, [entry])
      else queue.push(entry)
      this.#timer ??= setInterval(() => this.#insist(), lookAgainMs)
      // It may have been answered since the request was told to wait; with others before it, it has not.
      if (queue === undefined) this.#settleAccount(access.account)
    })
  }

  remaining(access: Counted, now: number): number {
    const day = dayOfMs(now)
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
    for (const queue of this.#waiting.values()) for (const { resolve } of queue) resolve(refusal.unavailable)
    this.#waiting.clear()
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

  #lookAgain(): void {
    for (const account of this.#waiting.keys()) this.#settleAccount(account)
  }

  /** Looks again by itself, and asks once more for those that still wait: an answer may have been lost. */
  #insist(): void {
    this.#lookAgain()
    const day = dayOfMs(this.#clock())
    for (const account of this.#waiting.keys()) this.#post(account, day)
  }

  #settleAccount(account: number): void {
    const queue = this.#waiting.get(account)
    if (queue === undefined) return
    const now = this.#clock()
    const moment = performance.now()
    let settled = 0
    for (let unsettled = false; settled < queue.length; settled++) {
      const { access, until, resolve } = queue[settled]!
      const result: number = unsettled ? refusal.unsettled : this.#takeIfAble(access, now)
      unsettled = result === refusal.unsettled
      if (unsettled && moment < until) break
      resolve(unsettled ? refusal.unavailable : result)
    }
    if (settled === queue.length) this.#waiting.delete(account)
    else if (settled > 0) queue.splice(0, settled)
    if (this.#waiting.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Nobody is there to hear what a store that fails throws; the flush, which meets the same fault, logs it. */
  #takeIfAble(access: Counted, now: number): number {
    try {
      return this.take(access, now)
    } catch {
      return refusal.unavailable
    }
  }
}
