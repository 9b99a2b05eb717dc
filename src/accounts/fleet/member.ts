/** A server's part in what all servers know together. It is loaded only with ACCOUNTS_STORE. */
import type { SharedCounts } from '../../quota/cells.ts'
import type { Clocks } from '../../quota/clocks.ts'
import type { Store } from '../../store/store.ts'
import type { FeedConnection } from '../feed/connection.ts'
import { SharedSignIns } from './shared-sign-ins.ts'
import { UsageSender } from './usage-sender.ts'

export class FleetMember {
  readonly sender: UsageSender
  readonly signIns: SharedSignIns

  /** @param connection whoever opened it closes it @param isFollowed as in UsageSender */
  constructor(
    connection: FeedConnection,
    store: Store,
    counts: SharedCounts,
    isFollowed: () => boolean,
    clocks?: Clocks,
  ) {
    this.sender = new UsageSender(connection, store, counts, isFollowed, clocks)
    this.signIns = new SharedSignIns(connection, store)
  }
}
