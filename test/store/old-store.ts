/** Stores as other versions of this software wrote them. */
import { Store } from '../../src/store/store.ts'

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
