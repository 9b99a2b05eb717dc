/** New keys wait for the page that shows them, once, and a minute at most. */
import type { FoundSession } from '../accounts/sign-ins.ts'
import { newKeysWaitingMax, newKeyWaitMsMax } from '../limits.ts'

/** Each method rejects with a StoreError if the accounts' store can't be asked. */
export interface NewKeys {
  put(session: FoundSession, keyId: string, key: string, now: number): Promise<void>
  /** The key, for that session, the first time alone. */
  take(session: FoundSession, keyId: string, now: number): Promise<string | undefined>
}

interface NewKey {
  readonly key: string
  /** ms since 1970 */
  readonly until: number
}

/** They are in this thread alone: there is one thread for pages. */
export class HeldNewKeys implements NewKeys {
  /** By session and key id, oldest first. */
  readonly #waiting = new Map<string, NewKey>()

  async put({ id }: Pick<FoundSession, 'id'>, keyId: string, key: string, now: number): Promise<void> {
    for (const [place, { until }] of this.#waiting) {
      if (until > now && this.#waiting.size < newKeysWaitingMax) break
      this.#waiting.delete(place)
    }
    this.#waiting.set(`${id} ${keyId}`, { key, until: now + newKeyWaitMsMax })
  }

  async take({ id }: Pick<FoundSession, 'id'>, keyId: string, now: number): Promise<string | undefined> {
    const place = `${id} ${keyId}`
    const found = this.#waiting.get(place)
    this.#waiting.delete(place)
    return found !== undefined && now < found.until ? found.key : undefined
  }
}
