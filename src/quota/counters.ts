/**
 * The memory in which the supervisor and all server threads count.
 *
 *   counted   one 32-bit cell an account and plane: requests counted, the truth while the process runs
 *   stored    the same shape: what the store is known to hold of it; where the two differ, there is something to flush
 *   days      by tag: the day that was last counted under it
 *   locks     one cell each
 *   refused   one cell an account, tagged as the others: requests refused because the quota was used up
 *
 *   a cell:   0 | tag of the day, 11 bits | count, 20 bits       0 as a whole: never used
 *
 * Day and count change together in one compareExchange, so that no request falls between two days. A day has the plane
 * of its last bit: what was counted yesterday stays readable until its plane is used again, a day later, and can be
 * flushed in peace. If it is used sooner, because a clock was set, what was not flushed yet is carried to the store
 * before the cell changes its day: see persist.ts. (64-bit cells would do without tags, but cost five times as much: each
 * value is a new BigInt.)
 *
 * Memory is reserved for `accountsMax` accounts, yet costs only the pages that are touched: account numbers are dense, so
 * that is the share of the accounts that exist.
 */
import assert from 'node:assert/strict'
import { accountsMax } from '../limits.ts'
import { plans } from '../plans.ts'

const countBits = 20
export const countMax = 2 ** countBits - 1
const tags = 2 ** 11 - 1

for (const plan of Object.values(plans)) assert(plan.requestsPerDay <= countMax, 'a count stays in its bits')

/** The counts of a process; can be cloned into workerData. */
export interface SharedCounts {
  /** Whether quotas are shared with other servers: counts then start at 0 and leases decide. */
  readonly leased: boolean
  readonly counted: SharedArrayBuffer
  readonly stored: SharedArrayBuffer
  readonly days: SharedArrayBuffer
  readonly locks: SharedArrayBuffer
  readonly refused: SharedArrayBuffer
}

/** Cells of `locks`, see `alone`. */
export const lock = { carrying: 0, changingDay: 1 } as const

/** @param leased as in SharedCounts */
export function reserveCounts(leased = false): SharedCounts {
  return {
    leased,
    counted: reserveCounters(2 * accountsMax),
    stored: reserveCounters(2 * accountsMax),
    days: reserveCounters(tags + 1),
    locks: reserveCounters(Object.keys(lock).length),
    refused: reserveCounters(accountsMax),
  }
}

export const reserveCounters = (count: number) => new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT)

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

/** Runs `action` while no other thread is at something with the same lock, a cell of `locks`. */
export function alone<T>(locks: Int32Array, lock: number, action: () => T): T {
  while (Atomics.compareExchange(locks, lock, 0, 1) !== 0) Atomics.wait(locks, lock, 1, 100)
  try {
    return action()
  } finally {
    Atomics.store(locks, lock, 0)
    Atomics.notify(locks, lock, 1)
  }
}
