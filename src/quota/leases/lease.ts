/**
 * A lease: one server's share of one account's quota on one day. If a server dies, the account loses that server's
 * lease until the day ends. So a lease is small: a hundredth of the quota. It grows up to a sixteenth if leases are
 * used up within 250 ms.
 *
 *   share of the quota granted to servers    up to 1/2      up to 7/8      more
 *   unused requests are released after       30 s           1 s            1 s
 *   the server keeps                         1/100          1/100          nothing
 *
 * The hundredth that a server keeps serves an account with few requests while the database is away.
 */
import { type PlanName, plans } from '../../plans.ts'
import { recallShare } from '../../postgres/bounds.ts'

/** A server first asks for a lease of a hundredth of the quota, and never asks for less. */
const firstShare = 100
/** A server never asks for a lease of more than a sixteenth of the quota. */
const largestShare = 16
/** After a lease that was used up within `briefMs`, the next is twice as large. */
const briefMs = 250
/** After a lease that lasted longer than `longMs`, the next is half as large. */
const longMs = 2000
const leaseMs = 30_000
const leaseMsScarce = 1000

export class Lease {
  readonly account: number
  readonly day: number
  limit = 0
  /** How many requests are granted to this server. Its threads have counted them, or may still count them. */
  granted = 0
  /** Requests granted to others, as of the last answer of the database. */
  othersGranted = 0
  /** The part of `granted` that an earlier process used. The counters of this process do not include it. */
  usedBefore = 0
  /** The size of the lease to ask for next, in requests. */
  nextSize = 0
  /** When the last grant came, by the monotonic clock; undefined before the first grant. */
  grantedAt: number | undefined
  /** The exchange with the database that is in flight; never rejects. */
  exchange: Promise<unknown> | undefined
  /** Runs until the lease may be requested again. */
  retryTimer: NodeJS.Timeout | undefined
  /** True if the database may not know the current value of `granted`. */
  isUnreported = false
  /** True if the lease is recalled: another server needs the quota, and others hold more than `othersGranted` says. */
  isRecalled = false
  /** The generation of plans for which `limit` was last checked; -1: not yet. */
  planGeneration = -1

  constructor(account: number, day: number, plan: PlanName) {
    this.account = account
    this.day = day
    setLimit(this, plan)
  }
}

export function setLimit(lease: Lease, plan: PlanName): void {
  lease.limit = plans[plan].requestsPerDay
  lease.nextSize = smallestSize(lease)
}

const smallestSize = ({ limit }: Lease): number => Math.ceil(limit / firstShare)

/**
 * Returns the size of the next lease, fitted to how fast the last lease was used up.
 * @param now by the monotonic clock
 */
export function fittingSize(lease: Lease, now: number): number {
  if (lease.grantedAt === undefined) return lease.nextSize
  const ms = now - lease.grantedAt
  const size = ms < briefMs ? lease.nextSize * 2 : ms > longMs ? lease.nextSize / 2 : lease.nextSize
  return Math.ceil(Math.min(Math.max(size, smallestSize(lease)), lease.limit / largestShare))
}

/** @param now by the monotonic clock */
export const hasExpired = (lease: Lease, now: number): boolean =>
  lease.grantedAt !== undefined && now - lease.grantedAt > durationMs(lease)

export const durationMs = (lease: Lease): number => (grantedShare(lease) > 1 / 2 ? leaseMsScarce : leaseMs)

/** How much of an expired lease the server keeps. */
export const keptSize = (lease: Lease): number => (grantedShare(lease) > recallShare ? 0 : smallestSize(lease))

/** The share of the quota that is granted to all servers, as far as this server knows. */
const grantedShare = (lease: Lease): number =>
  lease.isRecalled ? 1 : (lease.granted + lease.othersGranted) / lease.limit

/** The part of the quota that this process may count. */
export const availableOf = (lease: Lease): number => Math.max(lease.limit - lease.othersGranted - lease.usedBefore, 0)
