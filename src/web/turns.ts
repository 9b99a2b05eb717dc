/** Long work on the pages' thread, in turns of a few milliseconds, because others wait. */
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
