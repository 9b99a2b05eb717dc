/** A server's part in what all servers know together. It is loaded only with ACCOUNTS_STORE. */
import type { SharedCounts } from '../../quota/cells.ts'
import type { Clocks } from '../../quota/clocks.ts'
import type { Store } from '../../store/store.ts'
import { FeedConnection } from '../feed/connection.ts'
import { SharedSignIns } from './shared-sign-ins.ts'
import { UsageSender } from './usage-sender.ts'

export class FleetMember {
  readonly #connection: FeedConnection
  readonly sender: UsageSender
  readonly signIns: SharedSignIns

  constructor(url: string, store: Store, counts: SharedCounts, clocks?: Clocks) {
    this.#connection = new FeedConnection(url)
    this.sender = new UsageSender(this.#connection, store, counts, clocks)
    this.signIns = new SharedSignIns(this.#connection, store)
  }

  connect(): Promise<void> {
    return this.#connection.connect()
  }

  close(): void {
    this.#connection.close()
  }
}
