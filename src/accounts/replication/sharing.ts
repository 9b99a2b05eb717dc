/** The modules that only a server with DATABASE_URL needs. Other servers do not load this file. */
import type { Logger } from 'pino'
import { PostgresConnection } from '../../postgres/connection.ts'
import { DatabasePresence } from '../../postgres/presence.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import { adoptEarlierCopy } from './earlier-copy.ts'
import { transactionPooler } from './presence-lock.ts'
import { refuseOwnAccounts } from './replica.ts'
import { SharedStore } from './shared-store.ts'

export { LeaseManager } from '../../quota/leases/lease-manager.ts'
export { UsageSender } from '../fleet/usage-sender.ts'
export { Follower } from './follower.ts'
export { SharedReplication } from './shared-replication.ts'

interface Opened {
  readonly presence: DatabasePresence
  /** The connection for accounts and usage. */
  readonly shared: SharedStore
  /** The connection for leases, which must not wait while accounts are copied. */
  readonly quotaConnection: PostgresConnection
}

/**
 * Opens the server's connections. While the database is unavailable, they keep trying. Rejects with an AccountsError if
 * STORE_DIR does not fit the database, or if servers must not use this database.
 */
export async function openDatabase(store: Store, url: string, failOpen: boolean, log: Logger): Promise<Opened> {
  refuseOwnAccounts(store)
  const [connection, quotaConnection] = [new PostgresConnection(url), new PostgresConnection(url)]
  try {
    await connection.connect()
    await quotaConnection.connect()
    const { place, unfit } = connection
    if (unfit !== undefined) throw new AccountsError(`the database at ${place} can't be used: ${unfit}`)
    // In session mode, each connection has a process of PostgreSQL.
    if (connection.isUp && connection.pid === quotaConnection.pid) {
      throw new AccountsError(`the database at ${place} can't be used: ${transactionPooler}`)
    }
    await adoptEarlierCopy(store, connection)
  } catch (error) {
    connection.close()
    quotaConnection.close()
    throw error
  }
  const presence = new DatabasePresence(log, connection.place, () => {
    const copy = store.setting('copy')
    const keys =
      copy === undefined || copy.number < 0
        ? 'requests get 503, because there is no copy yet'
        : `keys are checked against the copy; once leases are used up, requests are ${failOpen ? 'allowed' : 'rejected'}`
    return `${keys}; changes are refused`
  })
  return { presence, shared: new SharedStore(connection), quotaConnection }
}
