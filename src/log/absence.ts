/**
 * Knows whether a store is away, and logs when it goes away and when it is back. If the store comes and goes, the
 * log gets at most two lines a minute.
 */
import { rejectionLogMs } from '../limits.ts'

export class Absence {
  #isAway = false
  #isLogged = false
  #loggedAt = Number.NEGATIVE_INFINITY

  get isAway(): boolean {
    return this.#isAway
  }

  /** Call it again as long as the store is away. @param log writes the line */
  begin(log: () => void): void {
    this.#isAway = true
    const now = performance.now()
    if (this.#isLogged || now - this.#loggedAt < rejectionLogMs) return
    this.#isLogged = true
    this.#loggedAt = now
    log()
  }

  /** Returns whether the store was away. @param log writes the line */
  end(log: () => void): boolean {
    if (!this.#isAway) return false
    this.#isAway = false
    if (this.#isLogged) log()
    this.#isLogged = false
    return true
  }
}
