/**
 * Makes the accounts of a STORE_DIR those that servers share: a single server's by `move`, a copy's by `push`, a backup's by
 * `restore`. STORE_DIR is a copy then; servers that have fewer changes copy all of it.
 */
import { AccountsError, StoreError } from '../../store/accounts-error.ts'
import type { AuditAction } from '../../store/records.ts'
import { type Contents, Store } from '../../store/store.ts'
import { tellServer } from '../control.ts'
import { migrateUsage, UsageSender } from '../fleet/usage-sender.ts'
import { ReplicationConnection } from './connection.ts'
import { refusalOfReplacing } from './refusals.ts'
import { Replica } from './replica.ts'
import { SharedReplication } from './shared-replication.ts'
import { changesAfter, newMark, newStoreId, SharedStore } from './shared-store.ts'

const copyMsMax = 15_000

export interface Pushed extends Contents {
  /** What to tell of servers that did not confirm it. */
  readonly unconfirmed: string | undefined
}

interface Pushing {
  readonly id: string
  /** Of the last change that the accounts are from. */
  readonly number: number
  /** Only into an empty store, or also into an older one. */
  readonly how: 'begin' | 'push'
  readonly isForced: boolean
  readonly action: AuditAction
}

/** The accounts of a store alone become those of an empty one. Rejects with an AccountsError. */
export function moveAccounts(storeDir: string, url: string): Promise<Pushed> {
  return withStore(storeDir, async (store) => {
    const before = store.setting('copyOf')
    if (before !== undefined && before.number !== 0) {
      throw new AccountsError(`the store ${storeDir} is a copy of accounts already`)
    }
    // One of number 0 was to be moved before: whether it was is not known.
    const how = before === undefined ? 'begin' : 'push'
    const id = before?.id ?? newStoreId()
    // From now on nothing is changed here that would not be there.
    store.write(() => store.setSetting('copyOf', { id, number: 0, mark: newMark(), whole: true }))
    return withShared(url, async (shared) => {
      if (how === 'begin') await refuseAccounts(shared)
      await tellServer(store, true)
      // Before the accounts: they are never there without their usage.
      await new UsageSender(shared.connection, store, () => true).sendAll()
      return putThere(store, shared, { id, number: 0, how, isForced: false, action: 'store moved' })
    }).catch((error) => {
      if (how === 'begin' && !(error instanceof Unknown)) store.write(() => store.setSetting('copyOf', undefined))
      throw error
    })
  })
}

async function refuseAccounts(shared: SharedStore): Promise<void> {
  const { state } = await shared.ask(undefined, { nextAccount: 0, nextKey: 0 })
  if (state === 'empty') return
  throw new AccountsError(`the accounts' store at ${shared.connection.place} ${refusalOfReplacing({ state: 'taken' })}`)
}

/** A copy's accounts become those of an emptied or older store. Rejects with an AccountsError. */
export function pushAccounts(storeDir: string, url: string, isForced: boolean): Promise<Pushed> {
  return withStore(storeDir, (store) => {
    if (store.setting('copyOf') === undefined) {
      throw new AccountsError(
        `the store ${storeDir} is no copy of accounts that servers share: card-prices accounts move takes them there`,
      )
    }
    return withShared(url, (shared) => pushStore(store, shared, isForced, 'store pushed'))
  })
}

/** A backup's accounts become those of an emptied or older store; its usage goes there too. Rejects with an AccountsError. */
export function pushRestored(store: Store, url: string, isForced: boolean): Promise<Pushed> {
  return withShared(url, async (shared) => {
    const pushed = await pushStore(store, shared, isForced, 'store restored')
    await migrateUsage(store, shared.connection)
    return pushed
  })
}

function pushStore(store: Store, shared: SharedStore, isForced: boolean, action: AuditAction): Promise<Pushed> {
  const before = store.setting('copyOf')
  if (before?.whole === false) throw new AccountsError(`the copy in ${store.dir} is not whole`)
  const { id, number } = before ?? { id: newStoreId(), number: 0 }
  const how = before === undefined && !isForced ? 'begin' : 'push'
  return putThere(store, shared, { id, number, how, isForced, action })
}

async function putThere(
  store: Store,
  shared: SharedStore,
  { id, number, how, isForced, action }: Pushing,
): Promise<Pushed> {
  const copy = new Replica(store)
  const mark = newMark()
  const { servers } = await shared.settledServers()
  // A change of its own that follows the snapshot: where that is refused, nothing has changed here.
  const { at, changesets } = store.try(() => {
    // Numbers that servers know are not given again: they may have counted under them.
    for (const name of ['nextAccount', 'nextKey'] as const) {
      store.setCounter(name, Math.max(store.counter(name), ...servers.map((server) => server[name])))
    }
    store.record({ action })
  })
  const marked = changesAfter({ number: 0, mark }, changesets)
  const replacing = copy.withSnapshot(async (file, now) => {
    if (now?.number !== at?.number || now?.mark !== at?.mark) {
      throw new AccountsError(`the copy in ${store.dir} was changed meanwhile: try again`)
    }
    return shared.replace(file, { id, number, mark }, how, isForced, marked)
  })
  const replaced = await replacing.catch((error: Error) => {
    if (!(error instanceof StoreError) || error.isAnswer) throw error
    throw new Unknown(
      `${error.message}: whether the accounts are there is not known; card-prices accounts push tells, or brings them`,
    )
  })
  if (replaced.state !== 'made') {
    throw new AccountsError(`the accounts' store at ${shared.connection.place} ${refusalOfReplacing(replaced)}`)
  }
  const begun = { id, number: replaced.number, mark, whole: true }
  const changes = marked.map((change, i) => ({ ...change, number: begun.number + i + 1 }))
  store.write(() => {
    // The server of this machine may be faster, and has all of it, or copies it.
    if (store.setting('copyOf')?.mark !== at?.mark) return
    store.setSetting('copyOf', begun)
    store.raiseGeneration()
  })
  copy.apply(begun, changes)
  const last = { ...begun, number: begun.number + changes.length }
  const unconfirmed = await new SharedReplication(store, shared).confirm(copyMsMax, last)
  return { ...store.contents(), unconfirmed }
}

/** The store was asked and did not answer. */
class Unknown extends AccountsError {}

async function withShared<T>(url: string, action: (shared: SharedStore) => Promise<T>): Promise<T> {
  const connection = new ReplicationConnection(url)
  try {
    await connection.connect()
    if (connection.run === undefined) throw connection.away
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
