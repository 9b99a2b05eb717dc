/** The two clocks of accounts and quotas; tests replace them. */

export interface Clocks {
  /** ms since 1970. It decides which day it is, and may be set ahead or back. */
  readonly wall: () => number
  /** ms since an arbitrary moment. It never jumps, so all durations use it. */
  readonly monotonic: () => number
}

export const systemClocks: Clocks = { wall: Date.now, monotonic: () => performance.now() }
