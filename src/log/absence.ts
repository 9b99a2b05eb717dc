/**
 * Records whether a store can be reached, and logs when it becomes unreachable and when it is back. Even if the store
 * comes and goes, the log gets at most two lines a minute.
 */
import { rejectionLogMs } from '../limits.ts'

export class Absence {
  #isAway = false
  #isLogged = false
  #loggedAt = Number.NEGATIVE_INFINITY

  get isAway(): boolean {
    return this.#isAway
  }

  /** Call this each time the store can't be reached. @param log writes the line */
  begin(log: () => void): void {
    this.#isAway = true
    const now = performance.now()
    if (this.#isLogged || now - this.#loggedAt < rejectionLogMs) return
    this.#isLogged = true
    this.#loggedAt = now
    log()
  }

  /** Call this when the store is reached. Returns true if it was away. @param log writes the line */
  end(log: () => void): boolean {
    if (!this.#isAway) return false
    this.#isAway = false
    if (this.#isLogged) log()
    this.#isLogged = false
    return true
  }
}
