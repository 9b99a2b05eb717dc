/** The two clocks that the accounts read: tests put others in their place. */

export interface Clocks {
  /** ms since 1970, as the machine has it: it tells the day, and it may be set, ahead or back. */
  readonly wall: () => number
  /** ms since some moment: it only ever runs. Whatever lasts is measured by it. */
  readonly steady: () => number
}

export const systemClocks: Clocks = { wall: Date.now, steady: () => performance.now() }
