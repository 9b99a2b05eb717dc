/** How much an account may: what both ways of counting, in a process alone and with leases, answer to. */

export interface Allowance {
  readonly account: number
  /** Requests a day. */
  readonly limit: number
}

/** The outcome of a request that waited. */
export interface Resolved {
  /** The quota left after it, or one of `refusal`. */
  readonly left: number
  /** ms since 1970: it counts on the day of this moment. */
  readonly at: number
}

/** What `take` gives instead of what is left. */
export const refusal = {
  /** The quota is used up. */
  exhausted: -1,
  /** The shared quota store can't be asked, and nothing is leased. */
  unavailable: -2,
  /** The shared quota store is being asked: the answer comes a moment later. */
  unsettled: -3,
} as const

export interface Quota {
  /** Requests that had to wait for the shared quota store until now. */
  readonly waits: number
  /**
   * Counts one request if the quota of that day allows: what is left after it, or one of `refusal`.
   * @param now ms since 1970
   */
  take(allowance: Allowance, now: number): number
  /** What an unsettled `take` comes to: counts one, or refuses as exhausted or unavailable. */
  resolve(allowance: Allowance): Promise<Resolved>
  /** What is left, without counting. */
  remaining(allowance: Allowance, now: number): number
  /** Takes back a request that was counted on that day. */
  refund(account: number, day: number): void
  /** Whoever waits is answered. */
  close(): void
}
