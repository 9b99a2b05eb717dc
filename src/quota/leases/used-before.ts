/**
 * The requests that a STORE_DIR had counted on a day before this process started. The database knows only what it
 * granted to earlier processes. It lacks the requests of a server without DATABASE_URL, the requests that
 * QUOTA_FAIL=open allowed, and those lost when it was restored from an older backup. So each process reports its counts
 * once for each connection, and the database raises a total that is lower. Before that report, nothing is leased.
 */
import { dateOfDay } from '../../calendar.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import type { Store } from '../../store/store.ts'
import { blockAccounts, blockOf, countsIn } from '../../store/usage-block.ts'

type Query = PostgresConnection['query']

const reportMsMax = 5000

export class UsedBefore {
  readonly #store: Store
  /** The day on which this process started. */
  readonly #day: number
  /** Block of accounts → the block's counts of the day, when this process started. */
  readonly #counts: ReadonlyMap<number, Uint32Array>
  isReported: boolean

  /** Throws AccountsError. */
  constructor(store: Store, today: number) {
    this.#store = store
    this.#day = today
    this.#counts = countsOn(store, today)
    this.isReported = this.#counts.size === 0
  }

  /**
   * Returns the account's requests on that day before this process started; 0 for another day than the process's first.
   */
  on(day: number, account: number): number {
    if (day !== this.#day) return 0
    return this.#counts.get(blockOf(account))?.[account % blockAccounts] ?? 0
  }

  /** Rejects if the database is unavailable. */
  async report(query: Query): Promise<void> {
    await reportCounts(this.#store, query, this.#day, this.#counts)
    this.isReported = true
  }
}

/** Reports the day's counts of a store whose accounts are moved. Rejects with an AccountsError. */
export const reportUsed = (store: Store, query: Query, today: number): Promise<void> =>
  reportCounts(store, query, today, countsOn(store, today))

async function reportCounts(
  store: Store,
  query: Query,
  day: number,
  counts: ReadonlyMap<number, Uint32Array>,
): Promise<void> {
  for (const [block, ofBlock] of counts) {
    const used = [...ofBlock.entries()].filter(([, count]) => count > 0)
    const accounts = used.map(([place]) => block * blockAccounts + place)
    const requests = used.map(([, count]) => count)
    const values = [store.serverId(), dateOfDay(day), accounts, requests]
    await query('SELECT card_prices.report_used($1, $2, $3, $4)', values, reportMsMax)
  }
}

/** Block of accounts → the block's counts of the day. Blocks without requests are omitted. */
function countsOn(store: Store, day: number): Map<number, Uint32Array> {
  const found = new Map<number, Uint32Array>()
  for (let block = 0; block <= blockOf(store.counter('nextAccount')); block++) {
    const counts = countsIn(store.usageBlock(day, block))
    if (counts.some((count) => count > 0)) found.set(block, counts)
  }
  return found
}
