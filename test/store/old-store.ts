/** Stores as other versions of this software wrote them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Store } from '../../src/store/store.ts'

/** Makes a folder whose store is of the releases that kept accounts in lmdb. */
export function makeLmdbStore(storeDir: string): void {
  mkdirSync(storeDir, { recursive: true })
  writeFileSync(join(storeDir, 'accounts.mdb'), new Uint8Array(8192).fill(7))
  writeFileSync(join(storeDir, 'accounts.mdb-lock'), new Uint8Array(8192))
}

/** Gives the store the schema of the release before this one. */
export async function asOlder(storeDir: string): Promise<void> {
  const store = new Store(storeDir)
  store.database.run('DROP TABLE account_ids')
  store.database.run('PRAGMA user_version = 1')
  await store.close()
}

/** Gives the store the schema of a version that is still to come. */
export async function asNewer(storeDir: string): Promise<void> {
  const store = new Store(storeDir)
  store.database.run('PRAGMA user_version = 99')
  await store.close()
}
