/**
 * How accounts change and how servers learn of changes. Without DATABASE_URL, a change is made in STORE_DIR, and the
 * server of STORE_DIR is notified. With DATABASE_URL, a change is made in the database that servers share
 * (shared-replication.ts).
 */
import type { ServerStatus } from './servers.ts'

export interface Replication {
  /** Resolves when STORE_DIR is up to date. Rejects with an AccountsError if that can't be known. */
  refresh(): Promise<void>
  /**
   * Makes a change. Rejects with the error of `action`, or with an AccountsError. Then no change was made, except
   * perhaps after an UnknownOutcome.
   * @param action changes the store, and has no other effect. It may run several times, each time on newer accounts
   */
  change<T>(action: () => T): Promise<T>
  /**
   * Waits until every live server has the last change, then resolves with undefined. If a server does not confirm the
   * change in time, resolves with a warning.
   */
  confirm(): Promise<string | undefined>
  /** All servers that share the accounts; undefined without DATABASE_URL. Rejects with an AccountsError. */
  servers(): Promise<readonly ServerStatus[] | undefined>
  /** Deletes old rows that only the database has. */
  removeOld?(): Promise<void>
  close(): Promise<void>
}

export const noReplication = (confirm: Replication['confirm'] = async () => undefined): Replication => ({
  refresh: async () => {},
  change: async (action) => action(),
  confirm,
  servers: async () => undefined,
  close: async () => {},
})
