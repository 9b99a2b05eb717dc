/**
 * What a backup holds of a server's counts, handed to the accounts' store under that server's name: it may have lost them, and
 * the server may be no more. What the store knows of them stays, since it is newer. The store that the backup becomes is
 * another server's, which has counted nothing yet: so no request is counted twice, wherever the first one is.
 */
import { dateOfDay, dayOfMs } from '../../calendar.ts'
import { usageDaysKept } from '../../limits.ts'
import { StoreError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import type { UsageKey } from '../../store/usage-table.ts'
import { FeedConnection } from '../feed/connection.ts'
import { copiedId, nameIn, storeName } from './same-store.ts'
import { defineUsageScripts, endOfMonthKept, fieldOf, monthOf, usageName } from './usage-scripts.ts'

const blocksAtOnce = 64

/** Those of a server that shared no accounts are the new one's own. If the accounts' store is away, it goes on as that server. */
export async function handOver(store: Store, url: string): Promise<void> {
  const server = store.knownServerId()
  if (server === undefined) return
  const connection = new FeedConnection(url)
  try {
    await connection.connect()
    await sendAll(store, server, connection)
    store.becomeAnotherServer()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
  } finally {
    connection.close()
  }
}

async function sendAll(store: Store, server: string, connection: FeedConnection): Promise<void> {
  defineUsageScripts(connection.redis)
  const id = copiedId(store, connection)
  let from: UsageKey = [dayOfMs(Date.now()) - usageDaysKept + 1, 0]
  for (;;) {
    const keys = store.usageKeys(from, blocksAtOnce)
    const dates = keys.map(([day]) => dateOfDay(day))
    const names = keys.map(([, block], i) => nameIn(id, usageName(monthOf(dates[i]!), block)))
    const values = keys.flatMap(([day, block], i) => {
      const counts = Buffer.from(store.usageBlock(day, block)!)
      return [fieldOf(dates[i]!, server), counts, endOfMonthKept(monthOf(dates[i]!))]
    })
    await connection.ask((redis) => redis.handUsageOver(1 + names.length, storeName, ...names, id, ...values))
    if (keys.length < blocksAtOnce) return
    const [day, block] = keys.at(-1)!
    from = [day, block + 1]
  }
}
