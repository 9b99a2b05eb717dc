/**
 * Tracks whether the database is available. It is unavailable while any of its uses fails: accounts, quotas or usage.
 * The log says so when that begins, once a minute while it lasts, and when it ends.
 */
import type { Logger } from 'pino'
import { rejectionLogMs } from '../limits.ts'

type Use = 'accounts' | 'quotas' | 'usage'

export class DatabasePresence {
  readonly #log: Logger
  readonly #place: string
  readonly #effects: () => string
  readonly #failing = new Set<Use>()
  #loggedAt = Number.NEGATIVE_INFINITY
  #isLogged = false

  /** @param effects returns the consequences of the outage, for the log */
  constructor(log: Logger, place: string, effects: () => string) {
    this.#log = log
    this.#place = place
    this.#effects = effects
  }

  get isUp(): boolean {
    return this.#failing.size === 0
  }

  isFailing(use: Use): boolean {
    return this.#failing.has(use)
  }

  /** Call it again as long as the use fails. @param reason contains no secret */
  fails(use: Use, reason: string): void {
    this.#failing.add(use)
    const now = performance.now()
    if (now - this.#loggedAt < rejectionLogMs) return
    this.#loggedAt = now
    this.#isLogged = true
    this.#log.warn({ reason }, `the database at ${this.#place} is away: ${this.#effects()}`)
  }

  /** Returns true if the use failed before. */
  works(use: Use): boolean {
    if (!this.#failing.delete(use)) return false
    if (this.isUp && this.#isLogged) {
      this.#isLogged = false
      this.#log.info(`the database at ${this.#place} is back`)
    }
    return true
  }
}
