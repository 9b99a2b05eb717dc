/**
 * A store whose accounts are a copy of those that servers share. The copy receives changes only from the database. The
 * server and the commands of a machine share one copy. Whichever process receives the changes first writes them into
 * it.
 *
 *   number 7 ── rows changed since 7 ──▶ number 9      in batches; the last batch sets the number
 *   number 7 ── all rows ──▶ number 412                in batches; until the last, the copy is not `whole`, and
 *                                                      its mark is that of the process that copies
 */
import { randomUUID } from 'node:crypto'
import { setImmediate as pause } from 'node:timers/promises'
import { AccountsError } from '../../store/accounts-error.ts'
import type { SharedRow, TableRows } from '../../store/shared-rows.ts'
import type { Store } from '../../store/store.ts'
import type { CopyState } from '../../store/store-records.ts'
import type { SharedTableName } from '../../store/store-schema.ts'
import type { Numbered } from '../../store/tables.ts'
import type { Heartbeat, Position, SharedStore, SyncResult } from './shared-store.ts'

interface CatchUpOptions {
  /**
   * Makes a server's heartbeat; absent in commands. It is called after the state is read, and before the state is sent.
   */
  readonly heartbeat?: () => Heartbeat
  readonly onResult?: (result: SyncResult) => void
  readonly onChanged?: () => void
  /** How long to wait for a transaction of another process. */
  readonly waitMsMax?: number
  /** Returns true if this process should copy everything when that is necessary. */
  readonly copiesAll: () => boolean
}

export class Replica {
  readonly store: Store

  /** @param store must have no accounts of its own */
  constructor(store: Store) {
    this.store = store
  }

  get state(): CopyState | undefined {
    return this.store.setting('copy')
  }

  /** The numbers that the next account and key would get. */
  get nextNumbers(): Record<Numbered, number> {
    return { nextAccount: this.store.counter('nextAccount'), nextKey: this.store.counter('nextKey') }
  }

  /** True if the copy was complete at some time, even if another copy is replacing it now. */
  get hasData(): boolean {
    const { state } = this
    return state !== undefined && state.number >= 0
  }

  /**
   * Asks for changes and applies them, until there are no more. Returns the last result: `same` if the copy is up to
   * date. Rejects with an AccountsError if the database is unavailable.
   */
  async catchUp(shared: SharedStore, options: CatchUpOptions): Promise<SyncResult> {
    for (;;) {
      const { state } = this
      const result = await shared.sync(state, options.heartbeat?.())
      options.onResult?.(result)
      if (result.state === 'behind') await this.#follow(state!, shared, options.waitMsMax)
      else if (result.state === 'incomplete' && options.copiesAll()) await this.#copyAll(result.id!, shared)
      else return result
      options.onChanged?.()
    }
  }

  /**
   * Applies a change that was made on the state `from`. If another process has updated the copy since then, does
   * nothing and returns false.
   * @param waitMsMax as in Store.write
   */
  apply(from: CopyState, changes: readonly TableRows[], to: CopyState, waitMsMax?: number): boolean {
    const { store } = this
    return store.write(() => {
      if (!isSame(this.state, from)) return false
      for (const rows of changes) store.applyShared(rows)
      store.setSetting('copy', to)
      return true
    }, waitMsMax)
  }

  async #follow(from: CopyState, shared: SharedStore, waitMsMax: number | undefined): Promise<void> {
    for await (const { last, rows, isLast } of shared.changesAfter(from.number)) {
      if (last.id !== from.id || last.number < from.number) return
      const changes = [...Map.groupBy(rows, ({ table }) => table)].map(([table, changed]): TableRows => {
        return {
          table,
          keys: changed.map(({ key }) => key),
          rows: changed.flatMap(({ row }) => (row === null ? [] : [row])),
        }
      })
      if (!this.apply(from, changes, isLast ? { ...from, ...last } : from, waitMsMax)) return
      await pause()
    }
  }

  /** Replaces all accounts by those of the database. Throws if another process starts to do the same. */
  async #copyAll(id: string, shared: SharedStore): Promise<void> {
    const { store } = this
    const mark = randomUUID()
    const isMine = () => this.state?.mark === mark
    const number = this.state?.id === id ? this.state.number : -1
    store.write(() => store.setSetting('copy', { id, number, mark, whole: false }))
    let [table, after]: [SharedTableName | undefined, SharedRow | undefined] = [undefined, undefined]
    const last: Position | undefined = await shared.copyAll(async (name, rows, isLast) => {
      if (name !== table) after = undefined
      table = name
      store.write(() => {
        if (!isMine()) throw new AccountsError(`another process copies the accounts into ${store.dir}: try again`)
        store.database.removeShared(name, after, isLast ? undefined : rows.at(-1))
        store.applyShared({ table: name, keys: [], rows })
      })
      after = rows.at(-1)
      await pause()
    })
    if (last === undefined) return
    store.write(() => {
      if (isMine()) store.setSetting('copy', { ...last, whole: true })
      store.raiseGeneration()
    })
  }
}

const isSame = (a: CopyState | undefined, b: CopyState): boolean =>
  a?.id === b.id && a.number === b.number && a.mark === b.mark && a.whole === b.whole

/** Throws AccountsError if the store has accounts of its own, which a copy would overwrite. */
export function refuseOwnAccounts(store: Store): void {
  if (store.isCopy || store.counter('nextAccount') === 0) return
  throw new AccountsError(
    `the store ${store.dir} has accounts of its own, which are not in the database: move them there by ` +
      'card-prices accounts move postgres://…, or set another STORE_DIR',
  )
}
