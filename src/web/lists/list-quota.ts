/**
 * Counts the requests of a valued list against the quota of its account, as if a program had sent them. admission.ts
 * says how many lines count as one request.
 */
import { dayOfMs } from '../../calendar.ts'
import { type Allowance, type Quota, refusal } from '../../quota/quota.ts'

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
    const { left: answer, at } = taken === refusal.pending ? await quota.resolve(allowance) : { left: taken, at: now }
    if (answer < 0) {
      refund(0)
      // Requests of programs, or of other servers, were counted meanwhile.
      return { isCounted: false, left: answer === refusal.exhausted ? days.length : undefined }
    }
    days.push(dayOfMs(at))
  }
  return { isCounted: true, refund }
}
