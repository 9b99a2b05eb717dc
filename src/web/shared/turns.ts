/** Divides long work on the pages' thread into short turns, because other requests wait. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Long work pauses after this time, so that other pages get their turn. */
const turnMsMax = 1

/** The sender of a form has disconnected, or has sent less than the form's length. Work for it ends. */
export class SenderGone extends Error {}

export class Turns {
  readonly #isGone: () => boolean
  #since = performance.now()

  /** @param isGone returns true if the sender has disconnected */
  constructor(isGone: () => boolean = () => false) {
    this.#isGone = isGone
  }

  /** Waits if this turn has lasted long enough. Rejects with SenderGone. */
  async pause(): Promise<void> {
    if (performance.now() - this.#since < turnMsMax) return
    await nextTurn()
    if (this.#isGone()) throw new SenderGone('while its page was made')
    this.#since = performance.now()
  }
}
