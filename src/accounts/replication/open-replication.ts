/** Opens the Replication by which a process of this machine changes accounts. */
import { confirmMsMax } from '../../limits.ts'
import type { Store } from '../../store/store.ts'
import { notifyServer } from '../control.ts'
import { noReplication, type Replication } from './replication.ts'

/**
 * @param url ACCOUNTS_STORE. The Redis client is loaded only if `url` is set
 * @param confirm confirms changes if `url` is not set. The default is for commands: it notifies the server that runs on
 *   STORE_DIR, and waits for its answer. The server itself passes another function
 */
export async function openReplication(
  store: Store,
  url: string | undefined,
  confirm?: Replication['confirm'],
): Promise<Replication> {
  if (url === undefined) return noReplication(confirm ?? (() => confirmedByServer(store)))
  const { SharedReplication } = await import('./shared-replication.ts')
  return SharedReplication.open(store, url)
}

async function confirmedByServer(store: Store): Promise<string | undefined> {
  const silentPid = await notifyServer(store)
  if (silentPid === undefined) return undefined
  const seconds = confirmMsMax / 1000
  return `the change is stored, but the server with process id ${silentPid} did not confirm it within ${seconds} s`
}
