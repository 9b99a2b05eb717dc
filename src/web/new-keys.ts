/** Keys that were just made and wait for the page that shows them, once. They are here alone, and not for long. */
import { newKeysWaitingMax, newKeyWaitMsMax } from '../limits.ts'

interface NewKey {
  readonly key: string
  /** ms since 1970 */
  readonly until: number
}

export class NewKeys {
  /** By session and key id, oldest first. */
  readonly #waiting = new Map<string, NewKey>()

  put(session: string, keyId: string, key: string, now: number): void {
    for (const [place, { until }] of this.#waiting) {
      if (until > now && this.#waiting.size < newKeysWaitingMax) break
      this.#waiting.delete(place)
    }
    this.#waiting.set(`${session} ${keyId}`, { key, until: now + newKeyWaitMsMax })
  }

  /** The key, for that session, the first time alone. */
  take(session: string, keyId: string, now: number): string | undefined {
    const place = `${session} ${keyId}`
    const found = this.#waiting.get(place)
    this.#waiting.delete(place)
    return found !== undefined && now < found.until ? found.key : undefined
  }
}
