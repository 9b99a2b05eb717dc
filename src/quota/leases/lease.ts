/**
 * A lease: one server's share of one account's quota on one day. A lease is small, about what the account uses in a quarter of
 * a second, because the account loses what a server holds when it dies, until the day ends. A lease that lasts longer is released
 * after 30 s, or after 1 s once half the quota is granted, so other servers can use it.
 */
import { type PlanName, plans } from '../../plans.ts'

/** The first lease is a hundredth of the quota, and no later one is smaller. */
const firstShare = 100
const largestShare = 16
/** A lease used up within `briefMs` is followed by one of twice the size, one that lasts longer than `longMs` by one of half. */
const briefMs = 250
const longMs = 2000
const leaseMs = 30_000
const leaseMsScarce = 1000

export interface Lease {
  readonly account: number
  readonly day: number
  readonly accountId: string
  /** Requests that earlier processes of this server had used on the day when this one started. */
  readonly usedEarlier: number
  limit: number
  /** Granted to this process: its threads counted it, or may still count it. */
  granted: number
  /** The part of `granted` that the account's counter does not include, and no thread may count. */
  uncounted: number
  /** The process has forgotten a lease of this account and day. The store still knows what that one was granted. */
  wasForgotten: boolean
  /** Fields of other processes in the store, each followed by what is granted to it. */
  others: readonly string[]
  /** The sum of `others`. */
  othersGranted: number
  /** How much to request next. */
  size: number
  /** By the monotonic clock; undefined before the first grant. */
  grantedAt: number | undefined
  /** The exchange with the store that is in flight; never rejects. */
  exchange: Promise<unknown> | undefined
  /** Runs until the store may be asked again. */
  retryTimer: NodeJS.Timeout | undefined
  /** The store does not know the present value of `granted`. */
  isUnreported: boolean
}

export function newLease(
  of: Pick<Lease, 'account' | 'day' | 'accountId' | 'usedEarlier' | 'wasForgotten'>,
  plan: PlanName,
): Lease {
  const none = { granted: 0, uncounted: 0, others: [], othersGranted: 0, limit: 0, size: 0 }
  const lease: Lease = {
    ...of,
    ...none,
    isUnreported: false,
    grantedAt: undefined,
    exchange: undefined,
    retryTimer: undefined,
  }
  setLimit(lease, plan)
  return lease
}

export function setLimit(lease: Lease, plan: PlanName): void {
  lease.limit = plans[plan].requestsPerDay
  lease.size = smallestSize(lease)
}

const smallestSize = ({ limit }: Lease): number => Math.ceil(limit / firstShare)

/** Fits the next size to how fast the last lease was used up. @param now by the monotonic clock */
export function fittingSize(lease: Lease, now: number): number {
  if (lease.grantedAt === undefined) return lease.size
  const ms = now - lease.grantedAt
  const size = ms < briefMs ? lease.size * 2 : ms > longMs ? lease.size / 2 : lease.size
  return Math.ceil(Math.min(Math.max(size, smallestSize(lease)), lease.limit / largestShare))
}

/** @param now by the monotonic clock */
export const hasExpired = (lease: Lease, now: number): boolean =>
  lease.grantedAt !== undefined && now - lease.grantedAt > durationMs(lease)

export const durationMs = ({ granted, othersGranted, limit }: Lease): number =>
  granted + othersGranted > limit / 2 ? leaseMsScarce : leaseMs

/** The quota less the other servers' leases, and less this server's requests that the account's counter does not include. */
export const availableOf = ({ limit, othersGranted, uncounted }: Lease): number =>
  Math.max(limit - othersGranted - uncounted, 0)
