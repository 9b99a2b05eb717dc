/**
 * The memory in which the supervisor and all server threads count requests.
 *
 *   counted   one 32-bit counter for each account and day buffer: requests counted; the truth while the process runs
 *   stored    the same shape: the counts in the store; where `counted` differs, a count is still to be written
 *   days      one cell for each tag: the day that was last counted under the tag
 *   locks     one cell for each lock
 *   refused   one counter for each account: requests refused because the quota was used up
 *
 *   a counter:   0 | the day's tag, 11 bits | count, 20 bits       all zero: never used
 *
 * One compareExchange changes tag and count together, so no request falls between two days. There are two day buffers,
 * for even and odd days. So the counters of a day stay readable for one more day, and the flush has a day to write
 * them. If the system clock is changed, a counter may be needed for another day before it is written. Then
 * persist.ts writes it first. (64-bit counters would need no tag, but cost five times as much, because each value is a
 * new BigInt.)
 *
 * Memory is reserved for `accountsMax` accounts, but only touched pages cost anything. Account numbers are dense, so
 * only the pages of accounts that exist are touched.
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
  /** True if quotas are shared with other servers. Then counters start at 0, and leases decide which requests pass. */
  readonly leased: boolean
  readonly counted: SharedArrayBuffer
  readonly stored: SharedArrayBuffer
  readonly days: SharedArrayBuffer
  readonly locks: SharedArrayBuffer
  readonly refused: SharedArrayBuffer
}

/** The indexes of the locks in `locks`, for `alone`. */
export const lock = { persisting: 0, changingDay: 1 } as const

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

/** The index of the account's counter for a day, in `counted` and in `stored`. */
export const slotOf = (account: number, day: number): number => (day & 1) * accountsMax + account

/** Returns a day's tag: 1…2047, never 0. So every counter in use differs from a counter that was never used. */
export const tagOf = (day: number): number => (day % tags) + 1

export const pack = (tag: number, count: number): number => (tag << countBits) | count
export const tagIn = (cell: number): number => cell >>> countBits
export const countIn = (cell: number): number => cell & countMax

/** The count in a counter; 0 if the counter holds another day. */
export function countOn(day: number, cells: Int32Array, slot: number): number {
  const cell = Atomics.load(cells, slot)
  return tagIn(cell) === tagOf(day) ? countIn(cell) : 0
}

/** Adds to a counter and keeps it within its bits. Returns false if the counter holds another day. */
export function addTo(cells: Int32Array, slot: number, tag: number, change: number): boolean {
  for (;;) {
    const cell = Atomics.load(cells, slot)
    if (tagIn(cell) !== tag) return false
    const count = Math.min(Math.max(countIn(cell) + change, 0), countMax)
    if (Atomics.compareExchange(cells, slot, cell, pack(tag, count)) === cell) return true
  }
}

/** Runs `action` under a lock that all threads share. @param lock its cell in `locks` */
export function alone<T>(locks: Int32Array, lock: number, action: () => T): T {
  while (Atomics.compareExchange(locks, lock, 0, 1) !== 0) Atomics.wait(locks, lock, 1, 100)
  try {
    return action()
  } finally {
    Atomics.store(locks, lock, 0)
    Atomics.notify(locks, lock, 1)
  }
}
