/**
 * How accounts change and how servers learn of it. Without ACCOUNTS_STORE, a change is made in STORE_DIR and its running server is
 * notified. With it, a change is made in the store that servers share (shared-replication.ts).
 */
import type { ServerStatus } from './servers.ts'

export interface Replication {
  /** Resolves when STORE_DIR is up to date. Rejects with an AccountsError if that can't be known. */
  refresh(): Promise<void>
  /**
   * Makes a change, or none if it throws. It may be tried several times, each time on newer accounts.
   * @param action changes the store, and has no other effect. Rejects with what it throws, or with an AccountsError:
   *   then no change was made, except with an UnknownOutcome
   */
  change<T>(action: () => T): Promise<T>
  /** Resolves when every live server has the last change: with a warning if some did not confirm it in time. */
  confirm(): Promise<string | undefined>
  /** All servers that share the accounts; undefined if none does. Rejects with an AccountsError. */
  servers(): Promise<readonly ServerStatus[] | undefined>
  close(): Promise<void>
}

export const noReplication = (confirm: Replication['confirm'] = async () => undefined): Replication => ({
  refresh: async () => {},
  change: async (action) => action(),
  confirm,
  servers: async () => undefined,
  close: async () => {},
})
