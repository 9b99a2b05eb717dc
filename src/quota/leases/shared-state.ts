/**
 * Where the supervisor's keeper of leases and the server threads meet: cells in shared memory that say what may be counted,
 * and a channel for what has to be heard of.
 *
 *   left       cell an account: what threads may still count without asking
 *   available  the quota less what other servers hold of it: a caller is told this less the count
 *   state      why nothing is left: one of `leaseStates`
 *   lowWater   with this much left, a thread asks for more
 *   asked      1 from a thread's question until its answer
 *
 *   thread ── day × accountsMax + account: this account needs a lease ──▶ keeper
 *          ◀─ { account }: this one has been answered, look again ───────
 *          ◀─ null: all may have been ───────────────────────────────────
 *
 * The first three hold the tag of their day beside the number, as a count does.
 */
import { randomUUID } from 'node:crypto'
import { BroadcastChannel } from 'node:worker_threads'
import { accountsMax } from '../../limits.ts'
import {
  addTo,
  countIn,
  pack,
  reserveCounters,
  reserveCounts,
  type SharedCounts,
  slotOf,
  tagIn,
  tagOf,
} from '../counters.ts'
import { availableIn, type Lease } from './lease.ts'

export interface SharedLeases extends SharedCounts {
  readonly board: SharedArrayBuffer
  /** The BroadcastChannel's name. */
  readonly channel: string
}

const boardArrays = 5

export const reserveLeases = (): SharedLeases => ({
  ...reserveCounts(true),
  board: reserveCounters(boardArrays * accountsMax),
  channel: `leases-${randomUUID()}`,
})

export const isLeased = (shared: SharedCounts): shared is SharedLeases => shared.leased

export function leaseStateCounters({ board }: SharedLeases) {
  const array = (place: number) =>
    new Int32Array(board, place * accountsMax * Int32Array.BYTES_PER_ELEMENT, accountsMax)
  return { left: array(0), available: array(1), state: array(2), lowWater: array(3), asked: array(4) }
}

export type LeaseStateCounters = ReturnType<typeof leaseStateCounters>

export const leaseStates = { unsettled: 0, exhausted: 1, unavailable: 2 } as const

/** What the keeper posts: the account that has been answered, or null, if that may be any. */
export type Answered = { readonly account: number } | null

/** What a thread posts. */
export const questionOf = (account: number, day: number): number => day * accountsMax + account

/** The keeper's side. */
export class SharedLeaseState {
  readonly #cells: LeaseStateCounters
  readonly #counted: Int32Array
  readonly #channel: BroadcastChannel

  constructor(shared: SharedLeases, onQuestion: (account: number, day: number) => void) {
    this.#cells = leaseStateCounters(shared)
    this.#counted = new Int32Array(shared.counted)
    this.#channel = new BroadcastChannel(shared.channel)
    this.#channel.onmessage = ({ data }: { data: Answered | number }) => {
      if (typeof data === 'number') onQuestion(data % accountsMax, Math.floor(data / accountsMax))
    }
  }

  /** Gives threads their answer: a grant, or else the reason why there is none; then their question is still open. */
  answer(lease: Lease, granted: number, refused: number): void {
    const { left, available, state, lowWater } = this.#cells
    const { account } = lease
    const tag = tagOf(lease.day)
    // What callers are told never rises within a day, so it does not follow what others give back.
    const before = available[account]!
    const now = availableIn(lease)
    Atomics.store(available, account, pack(tag, tagIn(before) === tag ? Math.min(countIn(before), now) : now))
    Atomics.store(lowWater, account, granted >> 1)
    if (granted > 0 && !addTo(left, account, tag, granted)) Atomics.store(left, account, pack(tag, granted))
    Atomics.store(state, account, pack(tag, granted > 0 ? leaseStates.unsettled : refused))
    if (granted > 0) this.closeQuestion(account)
    this.#channel.postMessage({ account } satisfies Answered)
  }

  /** A new limit begins a new count down for the caller. */
  tellAvailable(lease: Lease): void {
    Atomics.store(this.#cells.available, lease.account, pack(tagOf(lease.day), availableIn(lease)))
  }

  /** The next request asks anew, whatever the last answer was. */
  reopen({ account, day }: Lease): void {
    Atomics.store(this.#cells.state, account, pack(tagOf(day), leaseStates.unsettled))
    this.closeQuestion(account)
  }

  /** A thread may ask again. */
  closeQuestion(account: number): void {
    Atomics.store(this.#cells.asked, account, 0)
  }

  isAsked(account: number): boolean {
    return Atomics.load(this.#cells.asked, account) === 1
  }

  /** What threads have not counted yet. */
  leftOf({ account, day }: Lease): number {
    const cell = Atomics.load(this.#cells.left, account)
    return tagIn(cell) === tagOf(day) ? countIn(cell) : 0
  }

  /** The same, taken back from them, all but so much. */
  takeLeft({ account, day }: Lease, kept = 0): number {
    const { left } = this.#cells
    const tag = tagOf(day)
    for (;;) {
      const cell = Atomics.load(left, account)
      const taken = countIn(cell) - kept
      if (tagIn(cell) !== tag || taken <= 0) return 0
      if (Atomics.compareExchange(left, account, cell, pack(tag, kept)) === cell) return taken
    }
  }

  /** What the account's count tells of that day: 0 if another day has taken its cell. */
  countedOn({ account, day }: Lease): number {
    const cell = Atomics.load(this.#counted, slotOf(account, day))
    return tagIn(cell) === tagOf(day) ? countIn(cell) : 0
  }

  /** Whoever waits looks again. */
  lookAgain(): void {
    this.#channel.postMessage(null satisfies Answered)
  }

  close(): void {
    this.#channel.close()
  }
}
