/**
 * Uploads the accounts of a STORE_DIR to the database, where servers share them. Three commands do so:
 *
 *   move      uploads the accounts of a single server, or of a server of a release before 3.0
 *   push      uploads the accounts of a copy
 *   restore   uploads the accounts of a backup
 *
 * Each is one transaction of the database. Afterwards STORE_DIR is a copy, and servers with fewer changes copy
 * everything.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { dayOfMs } from '../../calendar.ts'
import { recoveryMs } from '../../postgres/bounds.ts'
import { PostgresConnection } from '../../postgres/connection.ts'
import { reportUsed } from '../../quota/leases/used-before.ts'
import { AccountsError, StoreError, UnknownOutcome } from '../../store/accounts-error.ts'
import { type Contents, Store } from '../../store/store.ts'
import type { AuditAction, CopyState } from '../../store/store-records.ts'
import { sharedTableNames } from '../../store/store-schema.ts'
import { isServed, notifyServer } from '../control.ts'
import { sendWholeUsage } from '../fleet/usage-sender.ts'
import type { ServerStatus } from './servers.ts'
import { SharedReplication } from './shared-replication.ts'
import { newDatabaseId, newMark, rowsAtOnce, SharedStore } from './shared-store.ts'

/** How long servers have to copy the accounts. */
const copyMsMax = 15_000
/** How long a batch of rows may take. */
const batchMsMax = 5000
/** How long the removal of all rows of a table may take. */
const removeMsMax = 60_000
const pollMs = 50

export interface Pushed extends Contents {
  /** A warning that names the servers that did not confirm the upload. Undefined if all confirmed it. */
  readonly unconfirmed: string | undefined
}

interface Moved extends Pushed {
  /**
   * The process id of the server that runs on STORE_DIR; undefined without a server. Until its restart, that server
   * counts requests apart from the others.
   */
  readonly server: number | undefined
}

interface Upload {
  readonly id: string
  /** The number of the last change in these accounts. */
  readonly number: number
  readonly action: AuditAction
  /** `begin`: only into an empty database. `push`: also over older accounts with this id. `force`: over any. */
  readonly how: 'begin' | 'push' | 'force'
  /** The copy from which the accounts of a release before 3.0 are moved. */
  readonly movedFrom?: CopyState | undefined
  /** What else the transaction writes. */
  readonly besides?: ((query: PostgresConnection['query']) => Promise<void>) | undefined
}

/**
 * Moves accounts, their usage, and today's use of their quotas into an empty database. Rejects with an AccountsError.
 */
export function moveAccounts(storeDir: string, url: string): Promise<Moved> {
  return withStore(storeDir, async (store) => {
    const [before, movedFrom] = [store.setting('copy'), store.setting('copyOf')]
    if (before !== undefined && before.number !== 0) {
      throw new AccountsError(`the store ${storeDir} is a copy of the accounts in a database already`)
    }
    if (movedFrom?.whole === false)
      throw new AccountsError(`the copy in ${storeDir} is incomplete: use another server's`)
    // An earlier move, which may have succeeded, has left a state with number 0.
    const how = before === undefined ? 'begin' : 'push'
    const id = before?.id ?? newDatabaseId()
    return withShared(url, async (shared) => {
      // From now on STORE_DIR is a copy, so that its accounts change only together with the shared accounts.
      store.write(() => store.setSetting('copy', { id, number: 0, mark: newMark(), whole: true }))
      await notifyServer(store, true)
      const besides: Upload['besides'] = async (query) => {
        await sendWholeUsage(store, query)
        await reportUsed(store, query, dayOfMs(Date.now()))
      }
      const pushed = await upload(store, shared, { id, number: 0, how, action: 'store moved', movedFrom, besides })
      return { ...pushed, server: isServed(store) ? store.setting('server')?.pid : undefined }
    }).catch((error) => {
      if (how === 'begin' && !(error instanceof UnknownOutcome)) store.write(() => store.setSetting('copy', undefined))
      throw error
    })
  })
}

/** Uploads a copy, which replaces the accounts of an emptied or older database. Rejects with an AccountsError. */
export function pushAccounts(storeDir: string, url: string, isForced: boolean): Promise<Pushed> {
  return withStore(storeDir, (store) => {
    if (store.setting('copy') === undefined) {
      throw new AccountsError(
        `the store ${storeDir} is no copy of the accounts in a database: move its accounts there by card-prices accounts move postgres://…`,
      )
    }
    return withShared(url, (shared) => pushStore(store, shared, { isForced, action: 'store pushed' }))
  })
}

/**
 * Uploads a restored backup with its usage. The backup replaces the accounts of an emptied or older database. Rejects
 * with an AccountsError.
 */
export async function pushRestored(store: Store, url: string, isForced: boolean): Promise<Pushed> {
  const pushed = await withShared(url, (shared) =>
    pushStore(store, shared, { isForced, action: 'store restored', besides: (query) => sendWholeUsage(store, query) }),
  )
  store.becomeAnotherServer()
  return pushed
}

function pushStore(
  store: Store,
  shared: SharedStore,
  { isForced, action, besides }: Pick<Upload, 'action' | 'besides'> & { readonly isForced: boolean },
): Promise<Pushed> {
  const before = store.setting('copy')
  if (before?.whole === false) throw new AccountsError(`the copy in ${store.dir} is incomplete`)
  const { id, number } = before ?? { id: newDatabaseId(), number: 0 }
  const how = isForced ? 'force' : before === undefined ? 'begin' : 'push'
  return upload(store, shared, { id, number, how, action, besides })
}

async function upload(store: Store, shared: SharedStore, given: Upload): Promise<Pushed> {
  const servers = await serversAfterRecovery(shared)
  // This change comes after the uploaded rows. It is only tried here, so that STORE_DIR stays unchanged if the upload
  // is rejected.
  const { copy, changes } = store.try(() => {
    // Servers may have counted requests under numbers of accounts and keys that are not in this store. These numbers
    // must not be assigned again.
    for (const name of ['nextAccount', 'nextKey'] as const) {
      store.setCounter(name, Math.max(store.counter(name), ...servers.map((server) => server[name])))
    }
    store.record({ action: given.action })
  })
  const { connection } = shared
  const mark = newMark()
  const uploading = store.database.readAtOnce(() => {
    if (store.setting('copy')?.mark !== copy?.mark)
      throw new AccountsError(`the copy in ${store.dir} was changed meanwhile: try again`)
    return connection.transaction('BEGIN', async (query) => {
      await query('LOCK TABLE card_prices.history IN EXCLUSIVE MODE')
      const number = await numberOf(query, given, connection.place)
      const tables = ['change_log', 'changed_rows', 'history', ...sharedTableNames]
      for (const table of tables) await query(`DELETE FROM card_prices.${table}`, [], removeMsMax)
      const put = 'SELECT card_prices.put_rows($1, $2, $3)'
      for (const table of sharedTableNames) {
        for (const rows of store.database.sharedRows(table, rowsAtOnce)) {
          await query(put, [table, '[]', JSON.stringify(rows)], batchMsMax)
        }
      }
      for (const { table, keys, rows } of changes) await query(put, [table, JSON.stringify(keys), JSON.stringify(rows)])
      const history = [given.id, number, mark, given.movedFrom === undefined ? null : JSON.stringify(given.movedFrom)]
      await query('INSERT INTO card_prices.history VALUES ($1, $2, $3, $2, $4)', history)
      await query('INSERT INTO card_prices.change_log VALUES ($1, $2)', [number, mark])
      await given.besides?.(query)
      return number
    })
  })
  const number = await uploading.catch((error: Error) => {
    if (!(error instanceof StoreError) || error.isAnswer) throw error
    throw new UnknownOutcome(
      `${error.message}: the accounts may have arrived or not; card-prices accounts push reports it, or uploads them`,
    )
  })
  const last: CopyState = { id: given.id, number, mark, whole: true }
  store.write(() => {
    // This machine's server may have caught up already.
    if (store.setting('copy')?.mark !== copy?.mark) return
    for (const rows of changes) store.applyShared(rows)
    store.setSetting('copy', last)
    store.setSetting('copyOf', undefined)
    store.raiseGeneration()
  })
  const unconfirmed = await new SharedReplication(store, shared).confirm(copyMsMax, last)
  return { ...store.contents(), unconfirmed }
}

/**
 * Returns the number of the upload: one more than the last change that any server has. Rejects with an AccountsError if
 * the accounts in the database must not be replaced.
 */
async function numberOf(
  query: PostgresConnection['query'],
  { id, number, how }: Upload,
  place: string,
): Promise<number> {
  const refuse = (reason: string) => new AccountsError(`the database at ${place} ${reason}`)
  const [found] = await query<{ id: string; number: number }>(
    'SELECT id, number::float8 AS number FROM card_prices.history',
  )
  if (found !== undefined && how === 'begin') throw refuse('has accounts already')
  if (found !== undefined && how === 'push') {
    if (found.id !== id) throw refuse('has other accounts than these: --force replaces them')
    if (found.number >= number)
      throw refuse(`has ${found.number} changes, no fewer than these: there is nothing to push. --force replaces them`)
  }
  const live = await query<{ address: string; store: string | null; number: number }>(
    `SELECT address, copy_of AS store, copy_number::float8 AS number FROM card_prices.server_states
    WHERE is_connected AND copy_of IS NOT NULL`,
  )
  const ahead = live.find((server) => server.store !== id || server.number > number)
  if (ahead !== undefined && how !== 'force') {
    throw refuse(
      `has a server, ${ahead.address}, with ${ahead.number} changes, more than these: push from there, or use --force`,
    )
  }
  return Math.max(number, found?.number ?? 0, ...live.map((server) => server.number)) + 1
}

/** If the database was just started, first waits until live servers have had time for a heartbeat. */
async function serversAfterRecovery(shared: SharedStore): Promise<readonly ServerStatus[]> {
  for (;;) {
    const { servers, runsMs } = await shared.servers()
    if (runsMs >= recoveryMs) return servers
    await pause(pollMs)
  }
}

async function withShared<T>(url: string, action: (shared: SharedStore) => Promise<T>): Promise<T> {
  const connection = new PostgresConnection(url)
  try {
    await connection.connect()
    if (!connection.isUp) throw connection.awayError
    return await action(new SharedStore(connection))
  } finally {
    connection.close()
  }
}

async function withStore<T>(storeDir: string, action: (store: Store) => Promise<T>): Promise<T> {
  const store = new Store(storeDir)
  try {
    return await action(store)
  } finally {
    await store.close()
  }
}
