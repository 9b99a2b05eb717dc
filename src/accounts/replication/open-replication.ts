/** Opens the way by which this machine changes accounts. */
import { confirmMsMax } from '../../limits.ts'
import type { Store } from '../../store/store.ts'
import { notifyServer } from '../control.ts'
import { noReplication, type Replication } from './replication.ts'

/**
 * @param url ACCOUNTS_STORE; its client is loaded only if it is set
 * @param confirm used if it is not set; by default asks the server, which is for other processes than the server
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
