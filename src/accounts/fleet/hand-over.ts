/**
 * What a store's own server has counted, handed to the accounts' store under that server's name by a command.
 *
 *   restore   what a backup holds: the store may have lost it, and the server may be no more. What the store knows stays, since
 *             it is newer. The store that the backup becomes is another server's, which has counted nothing yet: so no request is
 *             counted twice, wherever the first one is.
 *   move      what a single server has, before its accounts are there: they never are without their usage.
 */
import { dateOfDay, dayOfMs } from '../../calendar.ts'
import { usageDaysKept } from '../../limits.ts'
import { StoreError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import { FeedConnection } from '../feed/connection.ts'
import { stagedSeconds } from '../feed/shared-store.ts'
import { copiedId, nameIn, storeName } from './same-store.ts'
import { UnsentUses } from './unsent-uses.ts'
import { defineUsageScripts, endOfMonthKept, fieldOf, monthOf, usageName } from './usage-scripts.ts'

const blocksAtOnce = 64

/** Those of a server that shared no accounts are the new one's own. If the accounts' store is away, it goes on as that server. */
export async function handOver(store: Store, url: string): Promise<void> {
  const server = store.setting('serverId')
  if (server === undefined) return
  const connection = new FeedConnection(url)
  try {
    await connection.connect()
    defineUsageScripts(connection.redis)
    const id = copiedId(store, connection)
    for (const blocks of blocksOf(store, id, server)) {
      const names = blocks.map(({ name }) => name)
      const values = blocks.flatMap(({ field, counts, end }) => [field, counts, end])
      await connection.ask((redis) => redis.handUsageOver(1 + names.length, storeName, ...names, id, ...values))
    }
    store.becomeAnotherServer()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
  } finally {
    connection.close()
  }
}

/**
 * Puts a server's usage where accounts with that id will be looked for. It goes by itself unless the function that this resolves
 * to is called when they are there. Both reject with an AccountsError.
 */
export async function stageUsage(store: Store, connection: FeedConnection, id: string): Promise<() => Promise<void>> {
  const ends = new Map<string, number>()
  for (const blocks of blocksOf(store, id, store.serverId())) {
    await connection.ask((redis) => {
      const staging = redis.multi()
      for (const { name, field, counts, end } of blocks) {
        staging.hset(name, field, counts).expire(name, stagedSeconds)
        ends.set(name, end)
      }
      return staging.exec()
    })
  }
  return async () => {
    await connection.ask((redis) => {
      const keeping = redis.pipeline()
      for (const [name, end] of ends) keeping.expireat(name, end)
      return keeping.exec()
    })
    defineUsageScripts(connection.redis)
    const uses = new UnsentUses(store)
    uses.catchUp()
    while (!uses.isEmpty) await uses.sendSome(connection, id)
  }
}

interface NamedBlock {
  readonly name: string
  readonly field: string
  readonly counts: Buffer
  /** Unix seconds: when no day of its month is kept any longer. */
  readonly end: number
}

/** All blocks of the days that are kept, some at a time. */
function* blocksOf(store: Store, id: string, server: string): Generator<NamedBlock[]> {
  let from: [day: number, block: number] = [dayOfMs(Date.now()) - usageDaysKept + 1, 0]
  for (;;) {
    const keys = store.usageKeys(from, blocksAtOnce)
    if (keys.length === 0) return
    yield keys.map(([day, block]) => {
      const date = dateOfDay(day)
      const month = monthOf(date)
      const counts = Buffer.from(store.usageBlock(day, block)!)
      return {
        name: nameIn(id, usageName(month, block)),
        field: fieldOf(date, server),
        counts,
        end: endOfMonthKept(month),
      }
    })
    const [day, block] = keys.at(-1)!
    from = [day, block + 1]
  }
}
