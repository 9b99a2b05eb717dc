/**
 * Earlier processes on the same STORE_DIR, with leases or without. The quota store has the requests that it granted to
 * each process under that process's id. It may lack requests, because a process had no QUOTA_STORE, or because the
 * quota store lost its data. So the present process reports how many requests STORE_DIR had counted on this day when
 * the process started. If the sum under the ids of earlier processes is lower, the quota store raises the number of the
 * latest id. If no process had leases, the only id is the server id of STORE_DIR. Nobody else remembers these requests,
 * and without the report accounts could use that quota again.
 *
 *   quota store   granted: p1 50, p2 20 ─ data lost ─▶ nothing ◀─ at least 65 ─ p3: STORE_DIR had counted 65 when p3 started
 */

import { dateOfDay } from '../../calendar.ts'
import { RedisConnection } from '../../redis.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import { blockAccounts, blockOf, countsIn } from '../../store/usage-block.ts'
import { epochKey, quotaKey, quotaScripts } from './lease-scripts.ts'
import type { QuotaStore } from './quota-store.ts'
import { quotaCommandMsMax, quotaReconnectMs } from './timing.ts'

/** How many earlier processes on a STORE_DIR are remembered. */
export const previousInstancesMax = 32

export class PreviousInstances {
  readonly #store: Store
  /** The ids of earlier processes; the latest is last. */
  readonly #ids: readonly string[]
  /** The day on which this process started. */
  readonly #day: number
  /** The latest epoch in which the quota store had all these requests. */
  #epoch: string | undefined
  #isSaved = false
  /** Block of accounts → the block's counts of the day, when this process started. */
  readonly #counts: ReadonlyMap<number, Uint32Array>
  /** Whether the quota store has had all these requests at some time. Before that, it must not be asked for a grant. */
  isReported: boolean

  /** Throws AccountsError. */
  constructor(store: Store, today: number) {
    this.#store = store
    this.#day = today
    this.#ids = idsOf(store)
    this.#epoch = store.setting('lessees')?.since
    this.#counts = countsOn(store, today)
    this.isReported = this.#counts.size === 0
  }

  /** Requests of the account on that day before this process started. */
  usedOn(day: number, account: number): number {
    if (day !== this.#day) return 0
    return this.#counts.get(blockOf(account))?.[account % blockAccounts] ?? 0
  }

  /**
   * Reports the requests, if the quota store may lack them. Then saves the epoch, and this process's id, for the next
   * process. Rejects if the quota store can't be asked.
   */
  async report(quotas: QuotaStore): Promise<void> {
    const { epoch, id } = quotas
    if (epoch === undefined || (this.#isSaved && epoch === this.#epoch)) return
    if (epoch !== this.#epoch) {
      for (const used of usedBy(this.#store, this.#day, this.#counts)) await quotas.reportUsed(this.#ids, used)
    }
    this.isReported = true
    this.#store.write(() =>
      this.#store.setSetting('lessees', { ids: [...this.#ids, id].slice(-previousInstancesMax), since: epoch }),
    )
    this.#epoch = epoch
    this.#isSaved = true
  }
}

/**
 * Reports the day's counts of a store whose accounts `accounts move` moves. Rejects with an AccountsError.
 * @param url of the quota store
 */
export async function reportDay(store: Store, url: string, today: number): Promise<void> {
  const connection = new RedisConnection(url, { commandMsMax: quotaCommandMsMax, reconnectMs: quotaReconnectMs })
  connection.define(quotaScripts, epochKey)
  try {
    await connection.connect()
    if (connection.runId === undefined) throw new Error(connection.reason)
    const ids = JSON.stringify(idsOf(store))
    for (const used of usedBy(store, today, countsOn(store, today))) {
      await connection.redis.reportUsed(
        used.length,
        ...used.map(([key]) => key),
        ids,
        JSON.stringify(used.map(([, count]) => count)),
      )
    }
  } catch (error) {
    throw new AccountsError(`the quota store at ${connection.place} can't be asked (${(error as Error).message})`)
  } finally {
    connection.close()
  }
}

const idsOf = (store: Store): readonly string[] => store.setting('lessees')?.ids ?? [store.serverId()]

/** Block of accounts → the block's counts of the day. Blocks without requests are omitted. */
function countsOn(store: Store, day: number): Map<number, Uint32Array> {
  const found = new Map<number, Uint32Array>()
  for (let block = 0; block <= blockOf(store.counter('nextAccount')); block++) {
    const counts = countsIn(store.usageBlock(day, block))
    if (counts.some((count) => count > 0)) found.set(block, counts)
  }
  return found
}

/** Yields the key of each quota and the requests used of it, for a block of accounts at a time. */
function* usedBy(
  store: Store,
  day: number,
  counts: ReadonlyMap<number, Uint32Array>,
): Generator<[key: string, requests: number][]> {
  for (const [block, ofBlock] of counts) {
    const used = [...ofBlock.entries()].filter(([, count]) => count > 0)
    yield used.map(([place, count]) => {
      const accountId = store.accountId(store.account(block * blockAccounts + place))
      return [quotaKey(dateOfDay(day), accountId), count]
    })
  }
}
