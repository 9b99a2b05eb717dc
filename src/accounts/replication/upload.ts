/**
 * Uploads the accounts of a STORE_DIR to the accounts' store, where servers share them. `move` uploads the accounts of
 * a single server, `push` those of a replica, and `restore` those of a backup. Afterwards STORE_DIR is a replica, and
 * servers with fewer changes load all its accounts.
 */
import { dayOfMs } from '../../calendar.ts'
import { reportDay } from '../../quota/leases/previous-instances.ts'
import { AccountsError, StoreError, UnknownOutcome } from '../../store/accounts-error.ts'
import { type Contents, Store } from '../../store/store.ts'
import type { AuditAction } from '../../store/store-records.ts'
import { notifyServer } from '../control.ts'
import { migrateUsage, UsageSender } from '../fleet/usage-sender.ts'
import { replacingRejection } from './rejections.ts'
import { Replica } from './replica.ts'
import { ReplicationConnection } from './replication-connection.ts'
import { SharedReplication } from './shared-replication.ts'
import { changesAfter, newMark, newStoreId, type Replacing, SharedStore } from './shared-store.ts'

/** How long servers have to load the accounts. */
const loadMsMax = 15_000

export interface Pushed extends Contents {
  /** A warning that names servers which did not confirm it. */
  readonly unconfirmed: string | undefined
}

interface Upload extends Pick<Replacing, 'how' | 'isForced'> {
  readonly id: string
  /** The number of the last change in these accounts. */
  readonly number: number
  readonly action: AuditAction
}

/**
 * Moves the accounts of a single server, with their usage and what they used of today's quotas, into an empty store. Rejects with an
 * AccountsError.
 * @param quotaStore the quota store of the servers that will share the accounts
 */
export function moveAccounts(storeDir: string, url: string, quotaStore = url): Promise<Pushed> {
  return withStore(storeDir, async (store) => {
    const before = store.setting('copyOf')
    if (before !== undefined && before.number !== 0) {
      throw new AccountsError(`the store ${storeDir} is a replica of shared accounts already`)
    }
    // An earlier move, which may have succeeded, has left a state with number 0.
    const how = before === undefined ? 'begin' : 'push'
    const id = before?.id ?? newStoreId()
    // From now on STORE_DIR is a replica, so that its accounts change only together with the shared accounts.
    store.write(() => store.setSetting('copyOf', { id, number: 0, mark: newMark(), whole: true }))
    return withShared(url, async (shared) => {
      if (how === 'begin') await requireEmpty(shared)
      await notifyServer(store, true)
      // Usage is sent first, so the accounts' store never has accounts without their usage.
      await new UsageSender(shared.connection, store, () => true).sendAll()
      await reportDay(store, quotaStore, dayOfMs(Date.now()))
      return upload(store, shared, { id, number: 0, how, action: 'store moved' })
    }).catch((error) => {
      if (how === 'begin' && !(error instanceof UnknownOutcome))
        store.write(() => store.setSetting('copyOf', undefined))
      throw error
    })
  })
}

async function requireEmpty(shared: SharedStore): Promise<void> {
  const { state } = await shared.sync(undefined, { nextAccount: 0, nextKey: 0 })
  if (state === 'empty') return
  throw new AccountsError(`the accounts' store at ${shared.connection.place} ${replacingRejection({ state: 'taken' })}`)
}

/** Uploads a replica, which replaces the accounts of an emptied or older store. Rejects with an AccountsError. */
export function pushAccounts(storeDir: string, url: string, isForced: boolean): Promise<Pushed> {
  return withStore(storeDir, (store) => {
    if (store.setting('copyOf') === undefined) {
      throw new AccountsError(
        `the store ${storeDir} is no replica of shared accounts: move its accounts there by card-prices accounts move`,
      )
    }
    return withShared(url, (shared) => pushStore(store, shared, isForced, 'store pushed'))
  })
}

/**
 * Uploads a restored backup with its usage. The backup replaces the accounts of an emptied or older store. Rejects with
 * an AccountsError.
 */
export function pushRestored(store: Store, url: string, isForced: boolean): Promise<Pushed> {
  return withShared(url, async (shared) => {
    const pushed = await pushStore(store, shared, isForced, 'store restored')
    await migrateUsage(store, shared.connection)
    return pushed
  })
}

function pushStore(store: Store, shared: SharedStore, isForced: boolean, action: AuditAction): Promise<Pushed> {
  const before = store.setting('copyOf')
  if (before?.whole === false) throw new AccountsError(`the replica in ${store.dir} is incomplete`)
  const { id, number } = before ?? { id: newStoreId(), number: 0 }
  const how = before === undefined && !isForced ? 'begin' : 'push'
  return upload(store, shared, { id, number, how, isForced, action })
}

async function upload(store: Store, shared: SharedStore, { id, number, action, ...how }: Upload): Promise<Pushed> {
  const local = new Replica(store)
  const mark = newMark()
  const { servers } = await shared.serversAfterRecovery()
  // This change follows the snapshot. It is only tried here, so STORE_DIR stays as it is if the upload is rejected.
  const { replica, changesets } = store.try(() => {
    // Servers may have counted requests under numbers of accounts and keys that are not in this store. These numbers
    // must not be assigned again.
    for (const name of ['nextAccount', 'nextKey'] as const) {
      store.setCounter(name, Math.max(store.counter(name), ...servers.map((server) => server[name])))
    }
    store.record({ action })
  })
  const ownChanges = changesAfter({ number: 0, mark }, changesets)
  const replacing = local.withSnapshot(async (file, now) => {
    if (now?.number !== replica?.number || now?.mark !== replica?.mark) {
      throw new AccountsError(`the replica in ${store.dir} was changed meanwhile: try again`)
    }
    return shared.replace(file, { id, number, mark }, { ...how, changes: ownChanges })
  })
  const replaced = await replacing.catch((error: Error) => {
    if (!(error instanceof StoreError) || error.isAnswer) throw error
    throw new UnknownOutcome(
      `${error.message}: the accounts may have arrived or not; card-prices accounts push reports it, or uploads them`,
    )
  })
  if (replaced.state !== 'made') {
    throw new AccountsError(`the accounts' store at ${shared.connection.place} ${replacingRejection(replaced)}`)
  }
  const begun = { id, number: replaced.number, mark, whole: true }
  const changes = ownChanges.map((change, i) => ({ ...change, number: begun.number + i + 1 }))
  store.write(() => {
    // This machine's server may have caught up already.
    if (store.setting('copyOf')?.mark !== replica?.mark) return
    store.setSetting('copyOf', begun)
    store.raiseGeneration()
  })
  local.apply(begun, changes)
  const last = { ...begun, number: begun.number + changes.length }
  const unconfirmed = await new SharedReplication(store, shared).confirm(loadMsMax, last)
  return { ...store.contents(), unconfirmed }
}

async function withShared<T>(url: string, action: (shared: SharedStore) => Promise<T>): Promise<T> {
  const connection = new ReplicationConnection(url)
  try {
    await connection.connect()
    if (connection.runId === undefined) throw connection.awayError
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
