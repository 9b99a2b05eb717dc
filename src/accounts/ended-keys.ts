/** Deletes keys that ended so long ago that they are listed no more, a few in each step, all of them once a day. */
import { dayMs } from '../calendar.ts'
import { endedKeyDaysKept } from '../limits.ts'
import type { Sweep } from '../quota/flusher.ts'
import type { KeyRecord } from '../store/records.ts'
import type { Store } from '../store/store.ts'

/** Of keys looked at in a step: some milliseconds. */
const keysPerStepMax = 1000

/** When the key was revoked or has expired, whichever came first; undefined if neither was until now. */
function endOf({ revokedAt, expiresAt }: Pick<KeyRecord, 'revokedAt' | 'expiresAt'>, now: number): number | undefined {
  const end = Math.min(revokedAt ?? Number.POSITIVE_INFINITY, expiresAt ?? Number.POSITIVE_INFINITY)
  return end <= now ? end : undefined
}

/** Whether it ended too long ago to be listed. */
export function isForgotten(key: Pick<KeyRecord, 'revokedAt' | 'expiresAt'>, now: number): boolean {
  const end = endOf(key, now)
  return end !== undefined && now - end >= endedKeyDaysKept * dayMs
}

export class EndedKeys implements Sweep {
  readonly #store: Store
  /** Where the next step begins. */
  #from = ''

  constructor(store: Store) {
    this.#store = store
  }

  step(today: number): boolean {
    // What is removed of a copy is a change of all that share it.
    if (this.#store.copyOf() !== undefined) return true
    const keyIds = this.#store.keyIdsFrom(this.#from, keysPerStepMax + 1)
    for (const keyId of keyIds.slice(0, keysPerStepMax)) {
      if (isForgotten(this.#store.knownKey(keyId), today * dayMs)) this.#store.removeKey(keyId)
    }
    this.#from = keyIds[keysPerStepMax] ?? ''
    return this.#from === ''
  }
}
