/**
 * A store whose accounts are a replica of the accounts that servers share. The replica changes only by what the
 * accounts' store sends: changes in order, or a snapshot. The server and the commands of a machine share one replica.
 * The first process that has the changes updates the replica.
 *
 *   number 7 ── changes 8, 9 ──▶ number 9                     one transaction
 *   number 7 ── snapshot of 412, in steps ──▶ number 412      many transactions. Until the last, the replica is not
 *                                                             `whole`, and has a mark of the process that loads it
 */
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import { AccountsError, Diverged } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import type { ReplicaState } from '../../store/store-records.ts'
import type { Numbered } from '../../store/tables.ts'
import {
  type Change,
  type Heartbeat,
  markAfter,
  type Position,
  type SharedStore,
  type SyncResult,
} from './shared-store.ts'

interface CatchUpOptions {
  /**
   * Makes a server's heartbeat; absent in commands. It is called after the state is read, and before the state is sent.
   */
  readonly heartbeat?: () => Heartbeat
  readonly onResult?: (result: SyncResult) => void
  readonly onChanged?: () => void
  /** How long to wait for a transaction of another process. */
  readonly waitMsMax?: number
  /** Whether this process should load a snapshot if one is needed. */
  readonly loadsSnapshots: () => boolean
}

export class Replica {
  readonly store: Store

  /** @param store with no accounts of its own */
  constructor(store: Store) {
    this.store = store
  }

  get state(): ReplicaState | undefined {
    return this.store.setting('copyOf')
  }

  /** The numbers that the next account and key would get. */
  get nextNumbers(): Record<Numbered, number> {
    return { nextAccount: this.store.counter('nextAccount'), nextKey: this.store.counter('nextKey') }
  }

  /** Whether the replica was complete at some time. A snapshot may be replacing it now. */
  get hasData(): boolean {
    const { state } = this
    return state !== undefined && state.number >= 0
  }

  /**
   * Asks for changes and applies them, until there are no more. Returns the last result: `same` if the replica is up to
   * date. Rejects with an AccountsError if the accounts' store can't be asked.
   */
  async catchUp(shared: SharedStore, options: CatchUpOptions): Promise<SyncResult> {
    for (;;) {
      const { state } = this
      const result = await shared.sync(state, this.nextNumbers, options.heartbeat?.())
      options.onResult?.(result)
      if (result.state === 'changes') this.apply(state!, result.changes, options.waitMsMax)
      else if (result.state === 'snapshot' && options.loadsSnapshots()) {
        await this.replace(result.id, result.base, (file) => shared.loadSnapshot(result.snapshot, file))
      } else return result
      options.onChanged?.()
    }
  }

  /**
   * Applies the changes that follow `from`. Does nothing if another process has updated the replica since `from`.
   * @param waitMsMax as in Store.write
   */
  apply(from: ReplicaState, changes: readonly Change[], waitMsMax?: number): void {
    const { store } = this
    try {
      store.write(() => {
        if (!isSame(this.state, from)) return
        let { mark } = from
        for (const change of changes) {
          mark = markAfter(mark, change.changeset)
          if (mark !== change.mark)
            throw new AccountsError(
              "the accounts' store holds a damaged change: push a replica (card-prices accounts push)",
            )
          store.apply(change.changeset)
        }
        const { number } = changes.at(-1)!
        store.setSetting('copyOf', { ...from, number, mark })
      }, waitMsMax)
    } catch (error) {
      if (error instanceof Diverged) {
        store.write(() => isSame(this.state, from) && store.setSetting('copyOf', { ...from, whole: false }))
      }
      throw error
    }
  }

  /**
   * Replaces all accounts by a snapshot. Stops if another process starts to load a snapshot.
   * @param load writes the snapshot into a file
   */
  async replace(id: string, base: Position, load: (file: string) => Promise<void>): Promise<void> {
    const { store } = this
    const mark = randomUUID()
    const isMine = () => this.state?.mark === mark
    const number = this.state?.id === id ? this.state.number : -1
    store.write(() => store.setSetting('copyOf', { id, number, mark, whole: false }))
    await this.#withFile(async (file) => {
      await load(file)
      for (const step of store.stepsTo(file)) {
        const isDone = store.write(() => {
          if (isMine()) step()
          return isMine()
        })
        if (!isDone) return
        await pause()
      }
      store.write(() => {
        if (isMine()) store.setSetting('copyOf', { id, ...base, whole: true })
        store.raiseGeneration()
      })
    })
  }

  /**
   * Writes a snapshot of the shared tables to a file. Calls `action` with the file and with the state that the snapshot
   * shows, then deletes the file.
   */
  withSnapshot<T>(action: (file: string, state: ReplicaState | undefined) => Promise<T>): Promise<T> {
    return this.#withFile((file) => action(file, this.store.snapshotTo(file)))
  }

  async #withFile<T>(action: (file: string) => Promise<T>): Promise<T> {
    const file = join(this.store.dir, `snapshot.${randomUUID()}.tmp`)
    try {
      return await action(file)
    } finally {
      rmSync(file, { force: true })
    }
  }
}

const isSame = (a: ReplicaState | undefined, b: ReplicaState): boolean =>
  a?.id === b.id && a.number === b.number && a.mark === b.mark && a.whole === b.whole

/** Throws AccountsError if the store has accounts of its own, which a replica would overwrite. */
export function refuseOwnAccounts(store: Store): void {
  if (store.setting('copyOf') !== undefined || store.counter('nextAccount') === 0) return
  throw new AccountsError(
    `the store ${store.dir} has accounts of its own, which are not in ACCOUNTS_STORE: move them there by ` +
      'card-prices accounts move, or set another STORE_DIR',
  )
}
