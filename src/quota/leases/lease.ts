/**
 * A server's share of one account's quota on one day, and how large and how long a lease is: about what the account
 * uses in a quarter of a second, since what it holds when the server dies is lost to the account for that day.
 *
 *   granted of the quota, to all servers      to 1/2         to 7/8        more
 *   the rest of a lease goes back after       30 s           1 s           1 s
 *   but so much of it is kept                 1/100          1/100         nothing
 *
 * A server keeps a little for each account of the day, so that one which asks now and then is served while the store is away.
 */
import { type PlanName, plans } from '../../plans.ts'
import type { Others } from './redis.ts'

/** With a larger part of the quota granted, all servers give back what they do not use. */
export const recallShare = 7 / 8
/** The first lease is this part of the quota; from then on use decides, but none is smaller. */
const firstShare = 100
const largestShare = 16
/** A lease used up sooner than this is followed by a larger one, one that lasts much longer by a smaller one. */
const briefMs = 250
const longMs = 2000
const leaseMs = 30_000
const leaseMsScarce = 1000

export interface Lease {
  readonly account: number
  readonly day: number
  readonly name: string
  limit: number
  /** To this server: counted by its threads, or left to them. */
  granted: number
  others: Others
  /** The sum of `others`: a server that has many leases looks at all of them twice a second. */
  othersGranted: number
  /** The size to ask for next. */
  want: number
  /** By the steady clock; undefined before the first grant. */
  grantedAt: number | undefined
  /** While the store is being asked; never rejects. */
  asking: Promise<unknown> | undefined
  /** Waits for its time to ask again. */
  paced: NodeJS.Timeout | undefined
  /** The store has not heard the latest `granted`. */
  unheard: boolean
  /** Another server needs the quota: more of it is granted than `others` tells of. */
  recalled: boolean
  /** The change of plans that it was last reviewed for. */
  planChange: number
  /** What was counted of it before the account's count began anew, on another day's return. */
  countedBefore: number
  /** Since when (by the steady clock) its day is not the present one, or another day's lease is in use. */
  asideSince: number | undefined
}

export function newLease(account: number, name: string, day: number, plan: PlanName, planChange: number): Lease {
  const lease: Lease = {
    account,
    day,
    name,
    limit: 0,
    granted: 0,
    others: new Map(),
    othersGranted: 0,
    want: 0,
    grantedAt: undefined,
    asking: undefined,
    paced: undefined,
    unheard: false,
    recalled: false,
    planChange,
    countedBefore: 0,
    asideSince: undefined,
  }
  setLimit(lease, plan)
  return lease
}

export function setLimit(lease: Lease, plan: PlanName): void {
  lease.limit = plans[plan].requestsPerDay
  lease.want = smallest(lease)
}

const smallest = ({ limit }: Lease): number => Math.ceil(limit / firstShare)

/** The store has told what others hold, of all that it was told. */
export function hear(lease: Lease, others: Others): void {
  let othersGranted = 0
  for (const granted of others.values()) othersGranted += granted
  lease.others = others
  lease.othersGranted = othersGranted
  lease.unheard = false
  lease.recalled = false
}

/** Fits the size to how fast the last lease was used up. @param now by the steady clock */
export function nextWant(lease: Lease, now: number): number {
  if (lease.grantedAt === undefined) return lease.want
  const since = now - lease.grantedAt
  const want = since < briefMs ? lease.want * 2 : since > longMs ? lease.want / 2 : lease.want
  return Math.ceil(Math.min(Math.max(want, smallest(lease)), lease.limit / largestShare))
}

/** @param now by the steady clock */
export const isOver = (lease: Lease, now: number): boolean =>
  lease.grantedAt !== undefined && now - lease.grantedAt > lastsMs(lease)

/** So long what is granted stays, used or not. */
export const lastsMs = (lease: Lease): number => (takenShare(lease) > 1 / 2 ? leaseMsScarce : leaseMs)

/** So much of it stays after that. */
export const keptOf = (lease: Lease): number => (takenShare(lease) > recallShare ? 0 : smallest(lease))

/** The part of the quota that is granted, as far as it is known. */
const takenShare = (lease: Lease): number => (lease.recalled ? 1 : (lease.granted + lease.othersGranted) / lease.limit)

/** The quota less what other servers hold of it, and less what the account's count does not tell of. */
export const availableIn = (lease: Lease): number =>
  Math.max(lease.limit - lease.othersGranted - lease.countedBefore, 0)
