/** The delay before a thread is replaced, which grows with each failure in a row. */
import { threadRestartMsFirst, threadRestartMsMax, threadStableMs } from '../../limits.ts'

export class Restarts {
  #failuresInARow = 0

  /** In ms. @param ranMs how long the thread ran; 0 if it could not be started */
  delayAfter(ranMs: number): number {
    this.#failuresInARow = ranMs >= threadStableMs ? 1 : this.#failuresInARow + 1
    return Math.min(threadRestartMsFirst * 2 ** (this.#failuresInARow - 1), threadRestartMsMax)
  }
}
