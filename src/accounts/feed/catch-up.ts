/** Brings a copy to where the shared store is. */
import type { Copy } from './copy.ts'
import type { Asking, Lack, SharedStore } from './shared-store.ts'

interface CatchingUp {
  /** Who asks as a server; runs between the look at the copy and the question. */
  readonly asking?: () => Asking
  /** Hears each answer. */
  readonly onTold?: (lack: Lack) => void
  /** The copy has become another. */
  readonly onChanged?: () => void
  /** For a transaction of another process. */
  readonly waitMsMax?: number
  /** Whether this process is the one to copy everything. */
  readonly copies: () => boolean
}

/** Returns what the store has told last: `same` if the copy is as it is. Rejects with an AccountsError if it can't be asked. */
export async function catchUp(copy: Copy, shared: SharedStore, how: CatchingUp): Promise<Lack> {
  for (;;) {
    const { at } = copy
    const lack = await shared.ask(at, copy.next, how.asking?.())
    how.onTold?.(lack)
    if (lack.state === 'changes') copy.apply(at!, lack.changes, how.waitMsMax)
    else if (lack.state === 'copy' && how.copies()) {
      await copy.replace(lack.id, lack.base, (file) => shared.load(lack.snapshot, file))
    } else return lack
    how.onChanged?.()
  }
}
