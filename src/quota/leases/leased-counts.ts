/**
 * Counts requests where servers share quotas. Threads count down what the lease manager has leased, and ask for more
 * before it is used up. A request waits for the manager's answer only if nothing is left.
 */

import { BroadcastChannel } from 'node:worker_threads'
import { dayOfMs } from '../../calendar.ts'
import type { Store } from '../../store/store.ts'
import { addTo, countIn, tagIn, tagOf } from '../counters.ts'
import { Counts } from '../counts.ts'
import { type Allowance, type Quota, type Resolved, refusal } from '../quota.ts'
import {
  type Answered,
  denials,
  type LeaseStateCounters,
  leaseStateCounters,
  questionOf,
  type SharedLeases,
} from './shared-state.ts'
import { quotaWaitMsMax } from './timing.ts'

/** The refusal for each denial. The index is the denial's number in `denials`. */
const refusals = [refusal.pending, refusal.exhausted, refusal.unavailable]
/** The interval at which waiting requests check for an answer, in case its message was lost. */
const recheckMs = 100

interface PendingRequest {
  readonly allowance: Allowance
  /** By performance.now(), so that setting the wall clock neither prolongs nor ends the wait. */
  readonly until: number
  readonly resolve: (resolved: Resolved) => void
}

export class LeasedCounts implements Quota {
  readonly #counts: Counts
  readonly #state: LeaseStateCounters
  readonly #channel: BroadcastChannel
  readonly #clock: () => number
  readonly #waitMsMax: number
  /**
   * Account number → waiting requests in order of arrival. Requests for one account wait for the same answer: if the
   * first is still pending, all requests after it are pending, too. So the cost of an answer depends on how many
   * requests the answer resolves, and not on how many wait.
   */
  readonly #pending = new Map<number, PendingRequest[]>()
  #timer: NodeJS.Timeout | undefined

  /** @param waitMsMax how long a request waits for the database */
  constructor(shared: SharedLeases, store: Store, clock: () => number, waitMsMax = quotaWaitMsMax) {
    this.#counts = new Counts(shared, store, clock)
    this.#state = leaseStateCounters(shared)
    this.#clock = clock
    this.#waitMsMax = waitMsMax
    this.#channel = new BroadcastChannel(shared.channel)
    this.#channel.onmessage = ({ data }: { data: Answered | number }) => {
      if (typeof data === 'object') this.#resolveAccount(data.account)
    }
    this.#channel.unref()
  }

  take(allowance: Allowance, now: number): number {
    const { left, available, lowWater } = this.#state
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

  /** If the database does not answer in time, resolves to the refusal `unavailable`. Never rejects. */
  resolve(allowance: Allowance): Promise<Resolved> {
    return new Promise((resolve) => {
      const request = { allowance, until: performance.now() + this.#waitMsMax, resolve }
      const queue = this.#pending.get(allowance.account)
      if (queue === undefined) this.#pending.set(allowance.account, [request])
      else queue.push(request)
      this.#timer ??= setInterval(() => this.#askAgain(), recheckMs)
      // The answer may have arrived since `take`. If other requests already wait, it has not.
      if (queue === undefined) this.#resolveAccount(allowance.account)
    })
  }

  remaining(allowance: Allowance, now: number): number {
    const day = dayOfMs(now)
    const cell = Atomics.load(this.#state.available, allowance.account)
    const available = tagIn(cell) === tagOf(day) ? countIn(cell) : allowance.limit
    return Math.max(available - this.#counts.countOf(allowance.account, day), 0)
  }

  refund(account: number, day: number): void {
    addTo(this.#state.left, account, tagOf(day), 1)
    this.#counts.refund(account, day)
  }

  close(): void {
    this.#resolveAll()
    const refused: Resolved = { left: refusal.unavailable, at: this.#clock() }
    for (const queue of this.#pending.values()) for (const { resolve } of queue) resolve(refused)
    this.#pending.clear()
    clearInterval(this.#timer)
    this.#channel.close()
  }

  #refuse(account: number, day: number): number {
    this.#ask(account, day)
    const cell = Atomics.load(this.#state.denial, account)
    const denial = tagIn(cell) === tagOf(day) ? countIn(cell) : denials.pending
    return refusals[denial]!
  }

  /** Asks the manager for a lease. An account has one open question at most, however many threads and requests wait. */
  #ask(account: number, day: number): void {
    if (Atomics.exchange(this.#state.asked, account, 1) === 0) this.#channel.postMessage(questionOf(account, day))
  }

  #resolveAll(): void {
    for (const account of this.#pending.keys()) this.#resolveAccount(account)
  }

  /** Checks for answers and repeats the open questions, because a message may have been lost. */
  #askAgain(): void {
    this.#resolveAll()
    const day = dayOfMs(this.#clock())
    for (const account of this.#pending.keys()) this.#channel.postMessage(questionOf(account, day))
  }

  #resolveAccount(account: number): void {
    const queue = this.#pending.get(account)
    if (queue === undefined) return
    const now = this.#clock()
    const monotonicNow = performance.now()
    let resolved = 0
    for (let isPending = false; resolved < queue.length; resolved++) {
      const { allowance, until, resolve } = queue[resolved]!
      const result: number = isPending ? refusal.pending : this.#tryToTake(allowance, now)
      isPending = result === refusal.pending
      if (isPending && monotonicNow < until) break
      resolve({ left: isPending ? refusal.unavailable : result, at: now })
    }
    if (resolved === queue.length) this.#pending.delete(account)
    else if (resolved > 0) queue.splice(0, resolved)
    if (this.#pending.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** If the store fails, the request is refused; the flush meets the same failure and logs it. */
  #tryToTake(allowance: Allowance, now: number): number {
    try {
      return this.take(allowance, now)
    } catch {
      return refusal.unavailable
    }
  }
}
