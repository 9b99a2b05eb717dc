/** Divides long work on the pages' thread into short turns, because other requests wait. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Long work pauses after this time, so that other pages get their turn. */
const turnMsMax = 1

export class Turns {
  #since = performance.now()

  /** Waits if this turn has lasted long enough. */
  async pause(): Promise<void> {
    if (performance.now() - this.#since < turnMsMax) return
    await nextTurn()
    this.#since = performance.now()
  }
}
