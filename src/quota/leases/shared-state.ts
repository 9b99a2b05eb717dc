/**
 * Memory and a channel that the supervisor's lease manager shares with the server threads.
 *
 *   each array has one cell for each account:
 *   left       requests that threads may still count without asking
 *   available  the quota minus other servers' leases; X-RateLimit-Remaining is `available` minus the account's count
 *   denial     why nothing is left, one of `denials`
 *   lowWater   when `left` falls to this number, a thread asks for more
 *   asked      1 from a thread's question until the manager's answer
 *
 *   thread ── day × accountsMax + account: this account needs a lease ──▶ lease manager
 *          ◀─ { account }: this account has an answer, look again ───────
 *
 * The first three arrays hold a day's tag beside the number, as counters.ts does.
 */
import { randomUUID } from 'node:crypto'
import { BroadcastChannel } from 'node:worker_threads'
import { accountsMax } from '../../limits.ts'
import {
  addTo,
  countIn,
  countOn,
  pack,
  reserveCounters,
  reserveCounts,
  type SharedCounts,
  slotOf,
  tagIn,
  tagOf,
} from '../counters.ts'
import { availableOf, type Lease } from './lease.ts'

export interface SharedLeases extends SharedCounts {
  readonly leases: SharedArrayBuffer
  /** The BroadcastChannel's name. */
  readonly channel: string
}

const arrays = 5

export const reserveLeases = (): SharedLeases => ({
  ...reserveCounts(true),
  leases: reserveCounters(arrays * accountsMax),
  channel: `leases-${randomUUID()}`,
})

export const isLeased = (shared: SharedCounts): shared is SharedLeases => shared.leased

export function leaseStateCounters({ leases }: SharedLeases) {
  const array = (place: number) =>
    new Int32Array(leases, place * accountsMax * Int32Array.BYTES_PER_ELEMENT, accountsMax)
  return { left: array(0), available: array(1), denial: array(2), lowWater: array(3), asked: array(4) }
}

export type LeaseStateCounters = ReturnType<typeof leaseStateCounters>

/** Why an account has no requests left. `pending`: the database has not answered yet. */
export const denials = { pending: 0, exhausted: 1, unavailable: 2 } as const

/** The manager posts this when it has answered an account's question. */
export interface Answered {
  readonly account: number
}

/** A thread posts this number to ask for a lease. */
export const questionOf = (account: number, day: number): number => day * accountsMax + account

/** The lease manager's side of the shared memory and the channel. */
export class SharedLeaseState {
  readonly #counters: LeaseStateCounters
  readonly #counted: Int32Array
  readonly #channel: BroadcastChannel

  constructor(shared: SharedLeases, onQuestion: (account: number, day: number) => void) {
    this.#counters = leaseStateCounters(shared)
    this.#counted = new Int32Array(shared.counted)
    this.#channel = new BroadcastChannel(shared.channel)
    this.#channel.onmessage = ({ data }: { data: Answered | number }) => {
      if (typeof data === 'number') onQuestion(data % accountsMax, Math.floor(data / accountsMax))
    }
  }

  /** Answers the threads. A grant closes their question. A denial leaves the question open. */
  answer(lease: Lease, granted: number, denied: number): void {
    const { left, available, denial, lowWater } = this.#counters
    const { account } = lease
    const tag = tagOf(lease.day)
    // Callers never see the remaining quota rise within a day, so `available` does not rise when other servers release.
    const before = available[account]!
    const now = availableOf(lease)
    Atomics.store(available, account, pack(tag, tagIn(before) === tag ? Math.min(countIn(before), now) : now))
    Atomics.store(lowWater, account, granted >> 1)
    if (granted > 0 && !addTo(left, account, tag, granted)) Atomics.store(left, account, pack(tag, granted))
    Atomics.store(denial, account, pack(tag, granted > 0 ? denials.pending : denied))
    if (granted > 0) this.closeQuestion(account)
    this.#channel.postMessage({ account } satisfies Answered)
  }

  /** Sets `available` after a change of plan, when the remaining quota may rise. */
  resetAvailable(lease: Lease): void {
    Atomics.store(this.#counters.available, lease.account, pack(tagOf(lease.day), availableOf(lease)))
  }

  /** Drops the last denial: the next request asks again. */
  clearDenial({ account, day }: Lease): void {
    Atomics.store(this.#counters.denial, account, pack(tagOf(day), denials.pending))
    this.closeQuestion(account)
  }

  /** Closes the account's question, so that a thread may ask again. */
  closeQuestion(account: number): void {
    Atomics.store(this.#counters.asked, account, 0)
  }

  isAsked(account: number): boolean {
    return Atomics.load(this.#counters.asked, account) === 1
  }

  leftOf({ account, day }: Lease): number {
    return countOn(day, this.#counters.left, account)
  }

  /** Takes back the requests that threads have not counted, except `kept` of them. Returns how many it took back. */
  takeLeft({ account, day }: Lease, kept = 0): number {
    const { left } = this.#counters
    const tag = tagOf(day)
    for (;;) {
      const cell = Atomics.load(left, account)
      const taken = countIn(cell) - kept
      if (tagIn(cell) !== tag || taken <= 0) return 0
      if (Atomics.compareExchange(left, account, cell, pack(tag, kept)) === cell) return taken
    }
  }

  countedOn({ account, day }: Lease): number {
    return countOn(day, this.#counted, slotOf(account, day))
  }

  close(): void {
    this.#channel.close()
  }
}
