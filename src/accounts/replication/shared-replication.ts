/**
 * Changes of accounts that servers share. A change is tried on the replica and rolled back; its changesets go to the accounts' store.
 * The store appends them only if the last change in the store is also the last one in the replica. So changes have one order, and
 * nothing is ever merged.
 *
 *   replica at 7 ─ try ─▶ changesets ─ append after 7 ─▶ store at 7: made, 8    ─▶ replica at 8, then all servers
 *        ▲                                               store at 9: behind
 *        └────────────────── changes 8, 9 ◀─────────────────┘   (then the change is tried again)
 */

import { setTimeout as pause } from 'node:timers/promises'
import { confirmMsMax } from '../../limits.ts'
import { AccountsError, StoreError, UnknownOutcome } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import type { ReplicaState } from '../../store/store-records.ts'
import { isServed } from '../control.ts'
import { rejectionOf, replacingRejection } from './rejections.ts'
import { Replica, refuseOwnAccounts } from './replica.ts'
import type { Replication } from './replication.ts'
import { ReplicationConnection } from './replication-connection.ts'
import { lackingServers, type ServerStatus } from './servers.ts'
import { type Appended, type Change, changesAfter, newMark, newStoreId, SharedStore } from './shared-store.ts'
import { replicationRecoveryMs, serverGoneMsMin } from './timing.ts'

/**
 * After this many changes, or bytes of changes, the store gets a new snapshot. It keeps the changes since the previous
 * snapshot, so servers that are a little behind can still apply them, and drops older changes. A server that lacks
 * dropped changes loads the new snapshot.
 */
const replicationLogChangesMax = 2000
const replicationLogBytesMax = 16 * 1024 * 1024

/**
 * How long a change is retried while the store can't be reached or is recovering. If others change accounts meanwhile,
 * it is tried again on top of their changes, without a limit: each new attempt means that one of them has succeeded.
 */
const changeMsMax = 2 * replicationRecoveryMs + 1000
/** How long to wait for the replica that this machine's server loads. */
const loadMsMax = 10_000
const pollMs = 50
/** The most servers that one line names. */
const namesMax = 5

export class SharedReplication implements Replication {
  readonly #replica: Replica
  readonly #shared: SharedStore
  #connecting: Promise<void> | undefined

  /** @param shared the shared store. The caller must close its connection, for example by this class's `close` */
  constructor(store: Store, shared: SharedStore) {
    this.#replica = new Replica(store)
    this.#shared = shared
  }

  /** Connects at the first call of a method. */
  static open(store: Store, url: string): SharedReplication {
    return new SharedReplication(store, new SharedStore(new ReplicationConnection(url)))
  }

  async refresh(): Promise<void> {
    await this.#connect()
    await this.#catchUp()
  }

  async change<T>(action: () => T): Promise<T> {
    await this.#connect()
    const until = performance.now() + changeMsMax
    for (;;) {
      await this.#catchUp(true)
      const { result, changesets, replica } = this.#replica.store.try(action)
      if (changesets.length === 0) return result
      if (await this.#append(replica!, changesAfter(replica!, changesets), until)) return result
    }
  }

  /**
   * @param msMax how long servers have to confirm
   * @param last the change to confirm; by default the replica's last one
   */
  async confirm(msMax = confirmMsMax, last = this.#replica.state!): Promise<string | undefined> {
    const { id, number } = last
    const from = performance.now()
    try {
      for (;;) {
        const lacking = lackingServers(await this.#shared.servers(), id, number)
        if (lacking.length === 0) return undefined
        const ms = performance.now() - from
        // A server without a connection may turn out to be dead a moment later.
        const isLate = lacking.some(
          ({ isConnected }) => ms > (isConnected ? msMax : Math.max(msMax, serverGoneMsMin + pollMs)),
        )
        if (isLate) {
          const addresses = lacking.map(({ address }) => address)
          return unconfirmed(addresses, msMax)
        }
        await pause(pollMs)
      }
    } catch (error) {
      if (!(error instanceof AccountsError)) throw error
      return `the change is stored, but which servers have it is not known: ${error.message}`
    }
  }

  async servers(): Promise<readonly ServerStatus[]> {
    await this.#connect()
    return (await this.#shared.servers()).servers
  }

  async close(): Promise<void> {
    this.#shared.connection.close()
  }

  /**
   * Returns false if the store has changes that the replica lacks: then the change must be tried again on top of them.
   */
  async #append(replica: ReplicaState, changes: readonly Change[], until: number): Promise<boolean> {
    let isSent = false
    for (;;) {
      const isConnected = this.#shared.connection.runId !== undefined
      const answer = await this.#tryToAppend(replica, changes).catch((error: Error) => {
        if (!(error instanceof StoreError) || error.isAnswer) throw error
        isSent ||= isConnected
        if (performance.now() <= until) return undefined
        throw isSent ? new UnknownOutcome(`${error.message}: whether the change was made is not known`) : error
      })
      const state = answer?.state
      if (state === 'made') {
        this.#replica.apply(replica, changes)
        const { changes: since = 0, bytes = 0 } = answer!
        if (since > replicationLogChangesMax || bytes > replicationLogBytesMax) await this.#saveSnapshot()
        return true
      }
      if (state === 'behind') return false
      if (state !== undefined && state !== 'recovering') throw this.#error(rejectionOf(answer!, replica))
      if (performance.now() > until) throw this.#error('was started a moment ago: try again')
      await pause(pollMs)
    }
  }

  /**
   * An earlier attempt may have succeeded although its answer was lost. So if the store already has the change, this
   * attempt counts as successful. The store appends a change at most once.
   */
  async #tryToAppend(replica: ReplicaState, changes: readonly Change[]): Promise<Appended> {
    const appended = await this.#shared.append(replica, changes)
    return appended.state === 'behind' && (await this.#shared.has(changes[0]!)) ? { state: 'made' } : appended
  }

  /** If this fails, the next change tries again. */
  async #saveSnapshot(): Promise<void> {
    try {
      await this.#replica.withSnapshot(
        async (file, state) => state?.whole && (await this.#shared.saveSnapshot(file, state)),
      )
    } catch (error) {
      if (!(error instanceof AccountsError)) throw error
    }
  }

  async #connect(): Promise<void> {
    refuseOwnAccounts(this.#replica.store)
    const { connection } = this.#shared
    if (connection.runId !== undefined) return
    this.#connecting ??= connection.connect()
    await this.#connecting
    if (connection.runId === undefined) throw connection.awayError
  }

  /**
   * Brings the replica up to date. Rejects with an AccountsError if it can't.
   * @param begins if true and the accounts' store in Redis is empty, creates the shared accounts there. But if
   *   STORE_DIR is a replica already, an empty accounts' store is an error
   */
  async #catchUp(begins = false): Promise<void> {
    const from = performance.now()
    /**
     * The server of this STORE_DIR loads snapshots. This process does so only if there is no server, or if the server
     * takes too long.
     */
    const loadsSnapshots = () => !isServed(this.#replica.store) || performance.now() - from > loadMsMax / 2
    for (;;) {
      const result = await this.#replica.catchUp(this.#shared, { loadsSnapshots })
      if (result.state === 'same') return
      if (result.state === 'empty' && begins && this.#replica.state === undefined) await this.#begin()
      else if (result.state !== 'snapshot' || performance.now() - from > loadMsMax) {
        throw this.#error(rejectionOf(result, this.#replica.state))
      } else await pause(pollMs)
    }
  }

  /** Creates the shared accounts, before the first account is created. */
  async #begin(): Promise<void> {
    const position = { id: newStoreId(), number: 0, mark: newMark() }
    const begun = await this.#replica.withSnapshot((file) => this.#shared.replace(file, position, { how: 'begin' }))
    if (begun.state === 'made' || begun.state === 'taken') return
    throw this.#error(replacingRejection(begun))
  }

  #error(reason: string): StoreError {
    return new StoreError(`the accounts' store at ${this.#shared.connection.place} ${reason}`, true)
  }
}

function unconfirmed(addresses: readonly string[], msMax: number): string {
  const names = addresses.slice(0, namesMax).join(', ') + (addresses.length > namesMax ? ', …' : '')
  return `the change is stored, but ${names} did not confirm it within ${msMax / 1000} s`
}
