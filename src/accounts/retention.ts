/** Deletes old usage and audit entries, and keys, sessions and links that ended long ago. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { dayMs, dayOfMs } from '../calendar.ts'
import { auditDaysKept, usageDaysKept } from '../limits.ts'
import { errorFields } from '../store/accounts-error.ts'
import type { Store } from '../store/store.ts'
import { endedKeysKeptFrom } from './registry.ts'
import type { Replication } from './replication/replication.ts'
import { liveSince } from './sign-ins.ts'

/** How long after its expiry a link is still recognized as used or old. */
export const signInLinkKeptMs = 7 * 86_400_000
/** How often old rows are deleted. */
const retentionMs = 3_600_000

/** The most rows of a kind that one change deletes. Deleting that many takes some milliseconds. */
const rowsMax = 1000

/**
 * Deletes old rows every hour, except in an hour in which the date has changed. So a clock that is wrong for a while
 * deletes nothing.
 */
export function startRetention(store: Store, replication: Replication, log: Logger): NodeJS.Timeout {
  let dayBefore = dayOfMs(Date.now())
  return setInterval(async () => {
    const now = Date.now()
    const isSameDay = dayOfMs(now) === dayBefore
    dayBefore = dayOfMs(now)
    if (!isSameDay) return
    try {
      await removeOld(store, replication, now)
      await replication.removeOld?.()
    } catch (error) {
      log.warn(errorFields(error), 'old rows could not be deleted; retrying')
    }
  }, retentionMs).unref()
}

export async function removeOld(store: Store, replication: Replication, now: number): Promise<void> {
  removeTemporaryFiles(store.dir, now)
  const firstDay = dayOfMs(now) - usageDaysKept + 1
  while (store.write(() => store.removeOutdated('usage', rowsMax, firstDay)) === rowsMax) await pause()
  const removeSome = () =>
    Math.max(
      store.removeOutdated('keys', rowsMax, endedKeysKeptFrom(now)),
      store.removeOutdated('audit_log', rowsMax, now - auditDaysKept * dayMs),
      store.removeOutdated('sign_in_links', rowsMax, now - signInLinkKeptMs),
      store.removeOutdated('sessions', rowsMax, ...liveSince(now)),
    )
  while ((await replication.change(() => store.change(removeSome))) === rowsMax) await pause()
  while (store.write(() => store.removeOutdated('key_uses', rowsMax)) === rowsMax) await pause()
}

/** Deletes files that killed processes left: snapshots, and unfinished copies of the store. */
function removeTemporaryFiles(storeDir: string, now: number): void {
  for (const name of readdirSync(storeDir).filter((file) => file.endsWith('.tmp'))) {
    const path = join(storeDir, name)
    if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) < now - retentionMs) rmSync(path, { force: true })
  }
}
