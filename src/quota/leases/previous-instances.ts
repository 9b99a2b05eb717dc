/**
 * Earlier processes on the same STORE_DIR. In the quota store, the requests that they used stand under their own ids. If the
 * store loses them, nobody else remembers, and their accounts could use that quota again. So the present process reports what
 * STORE_DIR counted before it started, and the store raises the earlier processes' sum to that.
 *
 *   quota store   p1: 50  p2: 20 ─ data lost ─▶ (nothing) ◀─ at least 65 ─ p3: its file had 65 when it started
 */
import { dateOfDay } from '../../calendar.ts'
import { previousInstancesMax } from '../../limits.ts'
import type { Store } from '../../store/store.ts'
import { blockAccounts, blockOf, countsIn } from '../../store/usage-block.ts'
import { quotaKey } from './lease-scripts.ts'
import type { QuotaStore } from './quota-store.ts'

export class PreviousInstances {
  readonly #store: Store
  /** The latest is last. */
  readonly #ids: readonly string[]
  /** The day on which this process started. */
  readonly #day: number
  /** The quota store's epoch when it last had all this. */
  #epoch: string | undefined
  #isSaved = false
  /** By block of accounts: the day's counts when this process started. */
  readonly #counts = new Map<number, Uint32Array>()

  /** Throws AccountsError. */
  constructor(store: Store, today: number) {
    this.#store = store
    this.#day = today
    const saved = store.setting('lessees')
    this.#ids = saved?.ids ?? []
    this.#epoch = saved?.since
    if (this.#ids.length === 0) return
    for (let block = 0; block <= blockOf(store.counter('nextAccount')); block++) {
      const counts = countsIn(store.usageBlock(today, block))
      if (counts.some((count) => count > 0)) this.#counts.set(block, counts)
    }
  }

  /** Reports to a quota store that may lack it, and saves that, with this process's id, for the next process. Rejects if it can't. */
  async report(quotas: QuotaStore): Promise<void> {
    const { epoch, id } = quotas
    if (epoch === undefined || (this.#isSaved && epoch === this.#epoch)) return
    if (epoch !== this.#epoch) {
      for (const [block, counts] of this.#counts) await quotas.reportUsed(this.#ids, this.#usedIn(block, counts))
    }
    this.#store.write(() =>
      this.#store.setSetting('lessees', { ids: [...this.#ids, id].slice(-previousInstancesMax), since: epoch }),
    )
    this.#epoch = epoch
    this.#isSaved = true
  }

  #usedIn(block: number, counts: Uint32Array): [key: string, requests: number][] {
    const accounts = [...counts.entries()].filter(([, count]) => count > 0)
    return accounts.map(([place, count]) => {
      const accountId = this.#store.accountId(this.#store.account(block * blockAccounts + place))
      return [quotaKey(dateOfDay(this.#day), accountId), count]
    })
  }
}
