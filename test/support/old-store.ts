/** Stores as older versions of this software wrote them. */

import { join } from 'node:path'
import { open } from 'lmdb'
import { Store } from '../../src/store/store.ts'

/** Makes the store one of format 1, with this usage, whose table had an entry for each account and day. */
export async function asFormat1(
  storeDir: string,
  usage: Iterable<readonly [day: number, account: number, requests: number]>,
): Promise<void> {
  const store = new Store(storeDir)
  store.write(() => store.setCounter('format', 1))
  await store.close()
  const root = open({ path: join(storeDir, 'accounts.mdb'), noSubdir: true, maxDbs: 16 })
  const entries = root.openDB('usage', {})
  root.transactionSync(() => {
    for (const [day, account, requests] of usage) entries.putSync([day, account], requests)
  })
  root.openDB('usageBlocks', { encoding: 'binary' }).dropSync()
  await root.close()
}

/** Makes the store one of format 2, which has no folded names. */
export async function asFormat2(storeDir: string): Promise<void> {
  const store = new Store(storeDir)
  store.write(() => {
    for (const key of [...store.names.getKeys()]) if (typeof key !== 'string') store.names.removeSync(key)
    store.setCounter('format', 2)
  })
  await store.close()
}

/** Gives the store the format of a version that is still to come. */
export async function asNewer(storeDir: string): Promise<void> {
  const store = new Store(storeDir)
  store.write(() => store.setCounter('format', 9))
  await store.close()
}
