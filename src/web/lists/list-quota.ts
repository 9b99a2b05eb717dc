/**
 * Counts the lines of a list: against the quota of the account, as if a program had sent the requests, or as look-ups of
 * a stranger.
 */
import { dayEndMs, dayOfMs } from '../../calendar.ts'
import { listLinesPerLookUp, retrySoonSeconds } from '../../limits.ts'
import { plans } from '../../plans.ts'
import { type Allowance, type Quota, refusal as quotaRefusal } from '../../quota/quota.ts'
import { countLookUps } from '../cards/look-up.ts'
import { durationText, number } from '../shared/page-figures.ts'
import type { PageContext, Site } from '../site.ts'
import { type Refusal, refusal, stillHere } from './refusals.ts'

/** Refunds the requests of lines that were not valued. @param valued how many lines were valued */
export type Refund = (valued: number) => void

/** Counts the lines against the quota of the account, or the look-ups of the stranger. */
export async function countLines(site: Site, context: PageContext, lines: number): Promise<Refund | Refusal> {
  const requests = Math.ceil(lines / listLinesPerLookUp)
  if (context.var.session === undefined) {
    countLookUps(site, context, requests - 1)
    return () => undefined
  }
  const { number: account, plan } = context.var.session.account
  const allowance = { account, limit: plans[plan].requestsPerDay }
  const counted = await countRequests(site.quota, allowance, requests, site.clock)
  if (counted.isCounted) return (valued) => counted.refund(Math.ceil(valued / listLinesPerLookUp))
  return refusalOfQuota(site, context, lines, counted.left)
}

/** @param left the requests left today; undefined if this can't be known now */
function refusalOfQuota(site: Site, context: PageContext, lines: number, left: number | undefined): Refusal {
  if (left === undefined) {
    context.header('Retry-After', String(retrySoonSeconds))
    return refusal(503, `Your quota can’t be counted right now. ${stillHere} Try again soon.`)
  }
  const now = site.clock()
  const waitMs = dayEndMs(dayOfMs(now)) - now
  context.header('Retry-After', String(Math.ceil(waitMs / 1000)))
  const can = left === 0 ? 'No lines' : `${number(left * listLinesPerLookUp)} lines`
  return refusal(
    429,
    `${can} can be valued today: ${number(left)} requests of your quota are left, ${listLinesPerLookUp} lines count as one, and this list has ${number(lines)} lines. ${stillHere} The quota resets at 00:00 UTC (in ${durationText(waitMs)}).`,
  )
}

/** The requests that were counted for a list. */
export interface CountedRequests {
  readonly isCounted: true
  /** Refunds all requests except the first `used` requests. */
  refund(used: number): void
}

export interface UncountedRequests {
  readonly isCounted: false
  /** The requests left today; undefined if that can't be known now. */
  readonly left: number | undefined
}

/** Counts all of these requests, or none. @param clock ms since 1970 */
export async function countRequests(
  quota: Quota,
  allowance: Allowance,
  requests: number,
  clock: () => number,
): Promise<CountedRequests | UncountedRequests> {
  const left = quota.remaining(allowance, clock())
  if (left < requests) return { isCounted: false, left }
  /** The day on which each request was counted. */
  const days: number[] = []
  const refund = (used: number) => {
    for (const day of days.slice(used)) quota.refund(allowance.account, day)
  }
  while (days.length < requests) {
    const now = clock()
    const taken = quota.take(allowance, now)
    const { left: answer, at } =
      taken === quotaRefusal.pending ? await quota.resolve(allowance) : { left: taken, at: now }
    if (answer < 0) {
      refund(0)
      // Requests of programs, or of other servers, were counted meanwhile.
      return { isCounted: false, left: answer === quotaRefusal.exhausted ? days.length : undefined }
    }
    days.push(dayOfMs(at))
  }
  return { isCounted: true, refund }
}
