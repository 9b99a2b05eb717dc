/**
 * What a store's own server has counted, handed to the accounts' store by a command.
 *
 *   move      a single server's counts go there under its own name, as it would send them itself
 *   restore   a backup's counts go there under the name of the server that was backed up; what the store knows of it stays,
 *             since it is newer. The restored store becomes another server's, which has counted nothing yet: so no request is
 *             counted twice.
 */
import { dateOfDay, dayOfMs } from '../../calendar.ts'
import { usageDaysKept } from '../../limits.ts'
import type { Store } from '../../store/store.ts'
import { copiedId, type FeedConnection, nameIn } from '../feed/connection.ts'
import { endOfMonthKept, fieldOf, monthOf, usageName } from './usage-scripts.ts'

const blocksAtOnce = 64

/** Those of a server that shared no accounts are the new one's own. Rejects with an AccountsError. */
export async function handOver(store: Store, connection: FeedConnection): Promise<void> {
  const server = store.setting('serverId')
  if (server === undefined) return
  const id = copiedId(store, connection)
  for (let from: [day: number, block: number] = [dayOfMs(Date.now()) - usageDaysKept + 1, 0]; ; ) {
    const keys = store.usageKeys(from, blocksAtOnce)
    if (keys.length === 0) break
    await connection.ask((redis) => {
      const handing = redis.pipeline()
      for (const [day, block] of keys) {
        const date = dateOfDay(day)
        const name = nameIn(id, usageName(monthOf(date), block))
        handing.hsetnx(name, fieldOf(date, server), Buffer.from(store.usageBlock(day, block)!))
        handing.expireat(name, endOfMonthKept(monthOf(date)))
      }
      return handing.exec()
    })
    const [day, block] = keys.at(-1)!
    from = [day, block + 1]
  }
  store.becomeAnotherServer()
}
