/**
 * The memory that the supervisor and all server threads share.
 *
 *   counted   one 32-bit cell an account and plane: requests counted, the truth while the process runs
 *   stored    the same shape: what the store is known to hold of it; where the two differ, there is something to flush
 *   lastUsed  one cell a key: Unix seconds of its last request
 *   days      by tag: the day that was last counted under it
 *   leases    five cells an account, with a shared quota store only: see leaseCells
 *
 *   a cell:   0 | tag of the day, 11 bits | count, 20 bits       0 as a whole: never used
 *
 * Day and count change together in one compareExchange, so that no request falls between two days. A day has the plane
 * of its last bit: what was counted yesterday stays readable until its plane is used again, a day later, and can be
 * flushed in peace. If it is used sooner, because a clock was set, what was not flushed yet is carried to the store
 * before the cell changes its day: see carry.ts. (64-bit cells would do without tags, but cost five times as much: each value is a new BigInt.)
 *
 * Memory is reserved for `accountsMax` accounts, yet costs only the pages that are touched: account and key numbers are
 * dense, so that is the share of the accounts that exist.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { accountsMax, keysMax } from '../limits.ts'
import { plans } from '../plans.ts'

const countBits = 20
export const countMax = 2 ** countBits - 1
const tags = 2 ** 11 - 1

for (const plan of Object.values(plans)) assert(plan.requestsPerDay <= countMax, 'a count stays in its bits')

/** Everything that a server thread needs; can be cloned into workerData. */
export interface SharedAccounts {
  readonly storeDir: string
  /** Whether quotas are shared with other servers: counts then start at 0 and leases decide. */
  readonly leased: boolean
  /** The BroadcastChannel on which threads ask for leases and hear of answers. */
  readonly channel: string
  readonly signals: SharedArrayBuffer
  readonly counted: SharedArrayBuffer
  readonly stored: SharedArrayBuffer
  readonly lastUsed: SharedArrayBuffer
  readonly days: SharedArrayBuffer
  readonly leases: SharedArrayBuffer
}

/** Cells of `signals`. */
export const signal = {
  /** Rises with every change of an account or a key. */
  generation: 0,
  /** Locks, see `alone`. */
  carrying: 1,
  changingDay: 2,
} as const

/** Memory for a process; `leased` as in SharedAccounts. */
export function reserve(storeDir: string, leased: boolean): SharedAccounts {
  const cells = (count: number) => new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT)
  return {
    storeDir,
    leased,
    channel: `accounts-${randomUUID()}`,
    signals: cells(Object.keys(signal).length),
    counted: cells(2 * accountsMax),
    stored: cells(2 * accountsMax),
    lastUsed: cells(keysMax),
    days: cells(tags + 1),
    leases: cells(leased ? leaseArrays * accountsMax : 0),
  }
}

/** `leases`, one cell an account in each; all but the last two hold a tag and a count. */
export function leaseCells({ leases }: SharedAccounts) {
  const array = (place: number) =>
    new Int32Array(leases, place * accountsMax * Int32Array.BYTES_PER_ELEMENT, accountsMax)
  return {
    /** What threads may still count without asking. */
    left: array(0),
    /** The quota less what other servers hold of it: a caller is told this less the count. */
    available: array(1),
    /** Why nothing is left: one of `leaseStates`. */
    state: array(2),
    /** With this much left, a thread asks for more. */
    lowWater: array(3),
    /** 1 from a thread's question until its answer. */
    asked: array(4),
  }
}

export type LeaseCells = ReturnType<typeof leaseCells>

const leaseArrays = 5

export const leaseStates = { unsettled: 0, exhausted: 1, unavailable: 2 } as const

/** Where the account's count of a day is. */
export const slotOf = (account: number, day: number): number => (day & 1) * accountsMax + account

/** 1…2047, never 0, so that a cell never used differs from every cell in use. */
export const tagOf = (day: number): number => (day % tags) + 1

export const pack = (tag: number, count: number): number => (tag << countBits) | count
export const tagIn = (cell: number): number => cell >>> countBits
export const countIn = (cell: number): number => cell & countMax

/** Adds to a cell's count as long as the cell is of that day; keeps within the bits. */
export function addTo(cells: Int32Array, slot: number, tag: number, change: number): boolean {
  for (;;) {
    const cell = Atomics.load(cells, slot)
    if (tagIn(cell) !== tag) return false
    const count = Math.min(Math.max(countIn(cell) + change, 0), countMax)
    if (Atomics.compareExchange(cells, slot, cell, pack(tag, count)) === cell) return true
  }
}

/** Runs `action` while no other thread is at something with the same lock, a cell of `signals`. */
export function alone<T>(signals: Int32Array, lock: number, action: () => T): T {
  while (Atomics.compareExchange(signals, lock, 0, 1) !== 0) Atomics.wait(signals, lock, 1, 100)
  try {
    return action()
  } finally {
    Atomics.store(signals, lock, 0)
    Atomics.notify(signals, lock, 1)
  }
}
