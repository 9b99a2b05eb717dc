/** Deletes keys that ended so long ago that they are listed no more, a few in each step, all of them once a day. */
import { setImmediate as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { dayMs, dayOfMs } from '../calendar.ts'
import { endedKeyDaysKept } from '../limits.ts'
import type { Sweep } from '../quota/flusher.ts'
import type { KeyRecord } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import type { Feed } from './feed/feed.ts'

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

/** So often accounts that servers share are looked through: a clock that is wrong for a while deletes nothing. */
const sweepMs = 3_600_000

/** The same where servers share accounts: a change as others are, by whichever of them comes first. */
export function sweepEndedKeys(store: Store, feed: Feed, log: Logger): NodeJS.Timeout {
  let dayBefore = dayOfMs(Date.now())
  return setInterval(async () => {
    const today = dayOfMs(Date.now())
    const isCertain = today === dayBefore
    dayBefore = today
    if (!isCertain) return
    try {
      await removeForgotten(store, feed, today)
    } catch (error) {
      log.warn({ err: error }, 'keys that ended long ago could not be removed; trying again')
    }
  }, sweepMs)
}

/** For tests, too. Rejects with an AccountsError. */
export async function removeForgotten(store: Store, feed: Feed, today: number): Promise<void> {
  for (let from: string | undefined = ''; from !== undefined; ) {
    const keyIds: string[] = store.keyIdsFrom(from, keysPerStepMax + 1)
    const isOld = (keyId: string) => isForgotten(store.knownKey(keyId), today * dayMs)
    const step = keyIds.slice(0, keysPerStepMax)
    if (step.some(isOld)) {
      await feed.change(() => {
        for (const keyId of step) if (store.key(keyId) !== undefined && isOld(keyId)) store.removeKey(keyId)
      })
    }
    from = keyIds[keysPerStepMax]
    await pause()
  }
}
