/**
 * A store as the copy of the accounts that servers share. It is changed only by what the shared store tells: change after
 * change, or everything anew from a snapshot. Whichever process of its machine comes first does it.
 *
 *   number 7 ── changes 8, 9 ──▶ number 9                     one transaction
 *   number 7 ── snapshot of 412, in steps ──▶ number 412      not `whole`, with the mark of who copies, until the last step
 */
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import { AccountsError, Diverged } from '../../store/accounts-error.ts'
import type { CopyOf } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import type { Numbered } from '../../store/tables.ts'
import { type Asking, type At, type Change, type Lack, markAfter, type SharedStore } from './shared-store.ts'

interface CatchingUp {
  /** Servers tell here who they are. Called between the look at the copy and the question. */
  readonly asking?: () => Asking
  readonly onTold?: (lack: Lack) => void
  readonly onChanged?: () => void
  /** For a transaction of another process. */
  readonly waitMsMax?: number
  /** Whether this process is the one to copy everything. */
  readonly copies: () => boolean
}

export class Replica {
  readonly store: Store

  /** @param store whose accounts are no others' */
  constructor(store: Store) {
    this.store = store
  }

  get at(): CopyOf | undefined {
    return this.store.setting('copyOf')
  }

  get next(): Record<Numbered, number> {
    return { nextAccount: this.store.counter('nextAccount'), nextKey: this.store.counter('nextKey') }
  }

  /** Whether it was whole at some time: its accounts are those of some moment, or on the way from one to another. */
  get isThere(): boolean {
    const { at } = this
    return at !== undefined && at.number >= 0
  }

  /** Returns the last answer: `same` if the copy is as it is. Rejects with an AccountsError if the shared store can't be asked. */
  async catchUp(shared: SharedStore, how: CatchingUp): Promise<Lack> {
    for (;;) {
      const { at } = this
      const lack = await shared.ask(at, this.next, how.asking?.())
      how.onTold?.(lack)
      if (lack.state === 'changes') this.apply(at!, lack.changes, how.waitMsMax)
      else if (lack.state === 'copy' && how.copies()) {
        await this.replace(lack.id, lack.base, (file) => shared.load(lack.snapshot, file))
      } else return lack
      how.onChanged?.()
    }
  }

  /**
   * Makes the changes that come after `from`; if the copy is no longer there, another process was first.
   * @param waitMsMax as in Store.write
   */
  apply(from: CopyOf, changes: readonly Change[], waitMsMax?: number): void {
    const { store } = this
    try {
      store.write(() => {
        if (!isSame(this.at, from)) return
        let { mark } = from
        for (const change of changes) {
          mark = markAfter(mark, change.changeset)
          if (mark !== change.mark) throw new AccountsError("the accounts' store holds a damaged change: push a copy")
          store.apply(change.changeset)
        }
        const { number } = changes.at(-1)!
        store.setSetting('copyOf', { ...from, number, mark })
      }, waitMsMax)
    } catch (error) {
      if (error instanceof Diverged) {
        store.write(() => isSame(this.at, from) && store.setSetting('copyOf', { ...from, whole: false }))
      }
      throw error
    }
  }

  /**
   * Makes it anew from a snapshot. Does nothing more where another process has begun to.
   * @param load writes the snapshot into a file
   */
  async replace(id: string, base: At, load: (file: string) => Promise<void>): Promise<void> {
    const { store } = this
    const mark = randomUUID()
    const isMine = () => this.at?.mark === mark
    const number = this.at?.id === id ? this.at.number : -1
    store.write(() => store.setSetting('copyOf', { id, number, mark, whole: false }))
    await this.#withFile(async (file) => {
      await load(file)
      // Nobody is let in before the first copy is whole: it is made at once.
      for (const step of store.stepsTo(file, number < 0)) {
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

  /** Hands a snapshot of what servers share to `action`, as a file that is gone afterwards, and which state it is of. */
  withSnapshot<T>(action: (file: string, at: CopyOf | undefined) => Promise<T>): Promise<T> {
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

const isSame = (a: CopyOf | undefined, b: CopyOf): boolean =>
  a?.id === b.id && a.number === b.number && a.mark === b.mark && a.whole === b.whole

/** Throws AccountsError if the store's accounts are its own, and there are any: they would be lost. */
export function refuseOwnAccounts(store: Store): void {
  if (store.setting('copyOf') !== undefined || store.counter('nextAccount') === 0) return
  throw new AccountsError(
    `the store ${store.dir} has accounts of its own, which are not those of ACCOUNTS_STORE: take them there by ` +
      'card-prices accounts move, or set another STORE_DIR',
  )
}
