/**
 * The quota of an account, as requests use it. Counts implements it for one server, LeasedCounts for servers that share
 * quotas.
 */

export interface Allowance {
  readonly account: number
  /** Requests a day. */
  readonly limit: number
}

/** The outcome of a request that waited. */
export interface Resolved {
  /** The requests left, or one of `refusal`. */
  readonly left: number
  /** ms since 1970. The request counts for the day of this moment. */
  readonly at: number
}

/** Returned by `take` if the request may not pass now. */
export const refusal = {
  /** The quota is used up. */
  exhausted: -1,
  /** Nothing is leased, and the database is unavailable. */
  unavailable: -2,
  /** The database has not answered yet. `resolve` waits for the answer. */
  pending: -3,
} as const

export interface Quota {
  /**
   * Counts one request if that day's quota allows it. Returns the requests left, or one of `refusal`.
   * @param now ms since 1970
   */
  take(allowance: Allowance, now: number): number
  /**
   * Call it after `take` has returned `pending`. It waits for the answer, then counts the request, or refuses it as
   * exhausted or unavailable.
   */
  resolve(allowance: Allowance): Promise<Resolved>
  /** The requests left, without counting one. */
  remaining(allowance: Allowance, now: number): number
  /** Undoes a request that was counted on that day. */
  refund(account: number, day: number): void
  /** Refuses the requests that wait. */
  close(): void
}

/** The two clocks of accounts and quotas; tests replace them. */
export interface Clocks {
  /** ms since 1970. It decides which day it is, and may be set ahead or back. */
  readonly wall: () => number
  /** ms since an arbitrary moment. It never jumps, so all durations use it. */
  readonly monotonic: () => number
}

export const systemClocks: Clocks = { wall: Date.now, monotonic: () => performance.now() }
