/**
 * Counting in a process that shares quotas with others: a thread counts down what the keeper has leased. Before that
 * is used up it asks for more; only where nothing is left must a request wait for the answer.
 */
import { BroadcastChannel } from 'node:worker_threads'
import { dayOfMs } from '../../calendar.ts'
import { quotaLookAgainMs, quotaWaitMsMax } from '../../limits.ts'
import type { Store } from '../../store/store.ts'
import { addTo, countIn, tagIn, tagOf } from '../counters.ts'
import { Counts } from '../counts.ts'
import { type Allowance, type Quota, type Resolved, refusal } from '../quota.ts'
import {
  type Answered,
  type LeaseStateCounters,
  leaseStateCounters,
  leaseStates,
  questionOf,
  type SharedLeases,
} from './shared-state.ts'

/** A request of which it is not known yet whether it is let in. */
interface PendingRequest {
  readonly allowance: Allowance
  /** performance.now(): a clock that is set must not hold requests, or end their waiting. */
  readonly until: number
  readonly resolve: (settled: Resolved) => void
}

export class LeasedCounts implements Quota {
  readonly #counts: Counts
  readonly #cells: LeaseStateCounters
  readonly #channel: BroadcastChannel
  readonly #clock: () => number
  readonly #waitMsMax: number
  /**
   * By account, each in the order of arrival. All that wait for one account wait for the same answer: as soon as one of
   * them is still unsettled, so are those behind it. An answer thus costs what it settles, however many wait.
   */
  readonly #unsettled = new Map<number, PendingRequest[]>()
  #timer: NodeJS.Timeout | undefined
  waits = 0

  /** @param waitMsMax so long a request waits for the shared quota store */
  constructor(shared: SharedLeases, store: Store, clock: () => number, waitMsMax = quotaWaitMsMax) {
    this.#counts = new Counts(shared, store, clock)
    this.#cells = leaseStateCounters(shared)
    this.#clock = clock
    this.#waitMsMax = waitMsMax
    this.#channel = new BroadcastChannel(shared.channel)
    this.#channel.onmessage = ({ data }: { data: Answered | number }) => {
      if (data === null) this.#lookAgain()
      else if (typeof data === 'object') this.#settleAccount(data.account)
    }
    this.#channel.unref()
  }

  take(allowance: Allowance, now: number): number {
    const { left, available, lowWater } = this.#cells
    const { account } = allowance
    const day = dayOfMs(now)
    const tag = tagOf(day)
    for (;;) {
      const cell = Atomics.load(left, account)
      if (tagIn(cell) !== tag || countIn(cell) === 0) return this.#refuse(account, day)
      if (Atomics.compareExchange(left, account, cell, cell - 1) !== cell) continue
      const count = this.#counts.add(account, day)
      if (countIn(cell) - 1 <= lowWater[account]!) this.#ask(account, day)
      return Math.max(countIn(Atomics.load(available, account)) - count, 0)
    }
  }

  /** Refuses as unavailable if the shared quota store does not answer. Never rejects. */
  resolve(allowance: Allowance): Promise<Resolved> {
    this.waits++
    return new Promise((resolve) => {
      const entry = { allowance, until: performance.now() + this.#waitMsMax, resolve }
      const queue = this.#unsettled.get(allowance.account)
      if (queue === undefined) this.#unsettled.set(allowance.account, [entry])
      else queue.push(entry)
      this.#timer ??= setInterval(() => this.#insist(), quotaLookAgainMs)
      // It may have been answered since the request was told to wait; with others before it, it has not.
      if (queue === undefined) this.#settleAccount(allowance.account)
    })
  }

  remaining(allowance: Allowance, now: number): number {
    const day = dayOfMs(now)
    const cell = Atomics.load(this.#cells.available, allowance.account)
    const available = tagIn(cell) === tagOf(day) ? countIn(cell) : allowance.limit
    return Math.max(available - this.#counts.countOf(allowance.account, day), 0)
  }

  refund(account: number, day: number): void {
    addTo(this.#cells.left, account, tagOf(day), 1)
    this.#counts.refund(account, day)
  }

  close(): void {
    this.#lookAgain()
    const refused: Resolved = { left: refusal.unavailable, at: this.#clock() }
    for (const queue of this.#unsettled.values()) for (const { resolve } of queue) resolve(refused)
    this.#unsettled.clear()
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
    if (Atomics.exchange(this.#cells.asked, account, 1) === 0) this.#channel.postMessage(questionOf(account, day))
  }

  #lookAgain(): void {
    for (const account of this.#unsettled.keys()) this.#settleAccount(account)
  }

  /** Looks again by itself, and asks once more for those that still wait: an answer may have been lost. */
  #insist(): void {
    this.#lookAgain()
    const day = dayOfMs(this.#clock())
    for (const account of this.#unsettled.keys()) this.#channel.postMessage(questionOf(account, day))
  }

  #settleAccount(account: number): void {
    const queue = this.#unsettled.get(account)
    if (queue === undefined) return
    const now = this.#clock()
    const moment = performance.now()
    let settled = 0
    for (let isUnsettled = false; settled < queue.length; settled++) {
      const { allowance, until, resolve } = queue[settled]!
      const result: number = isUnsettled ? refusal.unsettled : this.#takeIfAble(allowance, now)
      isUnsettled = result === refusal.unsettled
      if (isUnsettled && moment < until) break
      resolve({ left: isUnsettled ? refusal.unavailable : result, at: now })
    }
    if (settled === queue.length) this.#unsettled.delete(account)
    else if (settled > 0) queue.splice(0, settled)
    if (this.#unsettled.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Nobody is there to hear what a store that fails throws; the flush, which meets the same fault, logs it. */
  #takeIfAble(allowance: Allowance, now: number): number {
    try {
      return this.take(allowance, now)
    } catch {
      return refusal.unavailable
    }
  }
}
