/**
 * Where accounts come from, as those who change them see it. Two kinds: the store in STORE_DIR alone, whose running server
 * is told of a change, and a store that servers share, of which STORE_DIR has a copy.
 */
import { confirmMsMax } from '../../limits.ts'
import type { Store } from '../../store/store.ts'
import { tellServer } from '../control.ts'

export interface Replication {
  /** Resolves when what is read from the store is of this moment. Rejects with an AccountsError if it can't be known. */
  refresh(): Promise<void>
  /**
   * Makes a change, or none if it throws. It may be tried more than once, on newer accounts each time.
   * @param action one of those that change the store, and nothing else. Rejects with what it throws, or an AccountsError:
   *   then no change was made, but for an UnknownOutcome
   */
  change<T>(action: () => T): Promise<T>
  /** Resolves when the last change is in force on every server that lives: or what to tell of those that did not confirm it. */
  confirm(): Promise<string | undefined>
  close(): Promise<void>
}

/** Accounts of a store alone: a change is there at once. */
export const noReplication = (confirm: Replication['confirm'] = async () => undefined): Replication => ({
  refresh: async () => {},
  change: async (action) => action(),
  confirm,
  close: async () => {},
})

/**
 * @param url of the accounts' store, if there is one: its client is loaded only then
 * @param confirm where there is none; else for another process than the server
 */
export async function openReplication(
  store: Store,
  url: string | undefined,
  confirm?: Replication['confirm'],
): Promise<Replication> {
  if (url === undefined) return noReplication(confirm ?? (() => confirmedByServer(store)))
  const { SharedReplication } = await import('./shared-replication.ts')
  return SharedReplication.open(store, url)
}

async function confirmedByServer(store: Store): Promise<string | undefined> {
  const silent = await tellServer(store)
  if (silent === undefined) return undefined
  const seconds = confirmMsMax / 1000
  return `the change is stored, but the server with process id ${silent} did not confirm it within ${seconds} s`
}
