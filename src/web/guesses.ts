/** Wrong sign-in links, counted by the address that they come from. Right ones are never refused for them. */
import { guessersMax, wrongLinksPerMinuteMax } from '../limits.ts'

const minuteMs = 60_000

export class Guesses {
  readonly #counts = new Map<string, number>()
  #minute = 0

  /** Counts a wrong link. Returns whether the address has sent more than it may in this minute. */
  isTooMany(address: string, now: number): boolean {
    const minute = Math.floor(now / minuteMs)
    if (minute !== this.#minute || this.#counts.size >= guessersMax) {
      this.#minute = minute
      this.#counts.clear()
    }
    const count = (this.#counts.get(address) ?? 0) + 1
    this.#counts.set(address, count)
    return count > wrongLinksPerMinuteMax
  }
}
