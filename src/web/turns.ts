/** Long work on the pages' thread, in turns of a few milliseconds. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pageTurnMsMax } from '../limits.ts'

export class Turns {
  #since = performance.now()

  /** Waits if this turn has lasted long enough. */
  async pause(): Promise<void> {
    if (performance.now() - this.#since < pageTurnMsMax) return
    await nextTurn()
    this.#since = performance.now()
  }
}
