/** When a thread that ended is replaced: after a delay that grows with each failure in a row. */
import { threadRestartMsFirst, threadRestartMsMax, threadSteadyMs } from '../limits.ts'

export class Restarts {
  #failuresInARow = 0

  /** In ms. @param ranMs how long the thread ran that has just ended, 0 for one that could not be started */
  delayAfter(ranMs: number): number {
    this.#failuresInARow = ranMs >= threadSteadyMs ? 1 : this.#failuresInARow + 1
    return Math.min(threadRestartMsFirst * 2 ** (this.#failuresInARow - 1), threadRestartMsMax)
  }
}
