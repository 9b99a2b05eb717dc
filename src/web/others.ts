/** Parts that the pages need if several servers share the accounts. Loaded only with ACCOUNTS_STORE. */

import { OthersUsage } from '../accounts/fleet/others-usage.ts'
import { ReplicationConnection } from '../accounts/replication/connection.ts'
import type { Store } from '../store/store.ts'
import { SealedNewKeys } from './sealed-new-keys.ts'
import type { Site } from './site.ts'

/** Resolves when the accounts' store can be asked, or a first attempt to reach it has failed. */
export async function shareParts(url: string, store: Store): Promise<Pick<Site, 'newKeys' | 'others'>> {
  const connection = new ReplicationConnection(url)
  await connection.connect()
  return {
    newKeys: new SealedNewKeys(connection, store),
    others: new OthersUsage(connection, store),
  }
}
