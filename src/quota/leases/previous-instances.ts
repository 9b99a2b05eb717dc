/**
 * The processes before this one on the same STORE_DIR. What they were granted and used stays theirs, under their own names, in
 * the quota store; one that has forgotten it would let their accounts have it again. Nobody else may know: so the process that
 * comes after them tells what their counts come to, wherever the store has less under their names.
 *
 *   quota store   p1: 50  p2: 20 ─ forgets ─▶ (nothing) ◀─ p2: 65 at least ─ p3, whose file has 65 from before its start
 */
import { previousInstancesMax } from '../../limits.ts'
import type { Store } from '../../store/store.ts'
import { blockAccounts, blockOf, countsIn } from '../../store/usage-block.ts'

/** By the account's name, what was counted. */
export type Used = readonly (readonly [account: string, requests: number])[]

export class PreviousInstances {
  readonly #store: Store
  /** The last is the process before this one. */
  readonly ids: readonly string[]
  /** The day that this process began on. */
  readonly day: number
  /** What the quota store said of itself when it was last known to have all this. */
  #since: string | undefined
  #isNoted = false
  /** By block of accounts: what was counted on the day until this process began. */
  readonly #counts = new Map<number, Uint32Array>()

  /** Throws AccountsError. */
  constructor(store: Store, today: number) {
    this.#store = store
    this.day = today
    const note = store.setting('lessees')
    this.ids = note?.ids ?? []
    this.#since = note?.since
    if (this.ids.length === 0) return
    for (let block = 0; block <= blockOf(store.counter('nextAccount')); block++) {
      const counts = countsIn(store.usageBlock(today, block))
      if (counts.some((count) => count > 0)) this.#counts.set(block, counts)
    }
  }

  /** Whether that store has to be told. */
  isNews(since: string): boolean {
    return since !== this.#since
  }

  /** What they used, in pieces. */
  *used(): Generator<Used> {
    for (const [block, counts] of this.#counts) {
      const accounts = [...counts.entries()].filter(([, count]) => count > 0)
      yield accounts.map(([place, count]) => [this.#store.account(block * blockAccounts + place).name, count])
    }
  }

  /**
   * That store has been told. The process after this one learns by the note of it, and of this process.
   * Throws AccountsError. @param id of this process
   */
  noteTold(since: string, id: string): void {
    if (this.#isNoted && !this.isNews(since)) return
    this.#store.write(() =>
      this.#store.setSetting('lessees', { ids: [...this.ids, id].slice(-previousInstancesMax), since }),
    )
    this.#since = since
    this.#isNoted = true
  }
}
