/** Opens the replication, and the usage of the other servers, for a process of this machine. */
import { confirmMsMax } from '../../limits.ts'
import type { Store } from '../../store/store.ts'
import { notifyServer } from '../control.ts'
import type { OthersUsage } from '../fleet/others-usage.ts'
import { noReplication, type Replication } from './replication.ts'

interface Opened {
  readonly replication: Replication
  /** The usage of the other servers, over the same connection; undefined without a database. */
  readonly others?: OthersUsage
}

/**
 * @param url DATABASE_URL. The client of PostgreSQL is loaded only if `url` is set
 * @param confirm confirms changes if `url` is not set. The default is for commands: it notifies the server that runs on
 *   STORE_DIR, and waits for its answer. The server itself passes another function
 */
export async function openReplication(
  store: Store,
  url: string | undefined,
  confirm?: Replication['confirm'],
): Promise<Opened> {
  if (url === undefined) return { replication: noReplication(confirm ?? (() => confirmedByServer(store))) }
  const { SharedReplication } = await import('./shared-replication.ts')
  const { OthersUsage } = await import('../fleet/others-usage.ts')
  const replication = SharedReplication.open(store, url)
  const connect = () => replication.connect()
  return { replication, others: new OthersUsage(replication.connection, store, connect) }
}

async function confirmedByServer(store: Store): Promise<string | undefined> {
  const silentPid = await notifyServer(store)
  if (silentPid === undefined) return undefined
  const seconds = confirmMsMax / 1000
  return `the change is stored, but the server with process id ${silentPid} did not confirm it within ${seconds} s`
}
