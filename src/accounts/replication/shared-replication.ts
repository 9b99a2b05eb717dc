/**
 * Changes accounts that servers share. A change is tried on the copy and rolled back; the rows that it changed go to
 * the database. The database accepts them only if its last change is also the last change of the copy. So changes have
 * one order, and nothing is ever merged.
 *
 *   copy at 7 ─ try ─▶ changed rows ─ based on change 7 ─▶ database at 7: accepted as change 8 ─▶ all copies at 8
 *        ▲                                                 database at 9: rejected, the copy is behind
 *        └────────────── rows of 8, 9 ◀───────────────────────┘   (then the change is tried again)
 */
import { setTimeout as pause } from 'node:timers/promises'
import { confirmMsMax } from '../../limits.ts'
import { recoveryMs } from '../../postgres/bounds.ts'
import { PostgresConnection } from '../../postgres/connection.ts'
import { AccountsError, StoreError, UnknownOutcome } from '../../store/accounts-error.ts'
import type { TableRows } from '../../store/shared-rows.ts'
import type { Store } from '../../store/store.ts'
import type { CopyState } from '../../store/store-records.ts'
import { isServed } from '../control.ts'
import { rejectionOf } from './rejections.ts'
import { Replica, refuseOwnAccounts } from './replica.ts'
import type { Replication } from './replication.ts'
import { lackingServers, type ServerStatus } from './servers.ts'
import { newMark, SharedStore } from './shared-store.ts'
import { changeDaysKept, serverGoneMsMin } from './timing.ts'

/**
 * How long a change is retried while the database is unavailable or is recovering. If others change accounts meanwhile,
 * the change is retried on top of their changes, without a limit: each such retry means that one of the others has
 * succeeded.
 */
const changeMsMax = 2 * recoveryMs + 1000
/** How long to wait until this machine's server has copied everything. */
const copyMsMax = 10_000
const pollMs = 50
/** The most servers that one line names. */
const namesMax = 5

export class SharedReplication implements Replication {
  readonly #replica: Replica
  readonly #shared: SharedStore

  /** @param shared the caller must close its connection, for example by this class's `close` */
  constructor(store: Store, shared: SharedStore) {
    this.#replica = new Replica(store)
    this.#shared = shared
  }

  /** Connects at the first call of a method. */
  static open(store: Store, url: string): SharedReplication {
    return new SharedReplication(store, new SharedStore(new PostgresConnection(url)))
  }

  get connection(): PostgresConnection {
    return this.#shared.connection
  }

  async refresh(): Promise<void> {
    await this.connect()
    await this.#catchUp()
  }

  async change<T>(action: () => T): Promise<T> {
    await this.connect()
    const until = performance.now() + changeMsMax
    for (;;) {
      await this.#catchUp(true)
      const { result, changes, copy } = this.#replica.store.try(action)
      if (changes.length === 0) return result
      if (await this.#make(copy!, changes, until)) return result
    }
  }

  /**
   * @param msMax how long servers have to confirm
   * @param last the change to confirm; by default the copy's last one
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
    await this.connect()
    return (await this.#shared.servers()).servers
  }

  removeOld(): Promise<void> {
    return this.#shared.removeOld(changeDaysKept)
  }

  async close(): Promise<void> {
    this.connection.close()
  }

  /** Rejects with an AccountsError if the first attempt to reach the database fails. */
  async connect(): Promise<void> {
    refuseOwnAccounts(this.#replica.store)
    await this.connection.connect()
    if (!this.connection.isUp) throw this.connection.awayError
  }

  /** Returns false if the database has changes that the copy lacks: then the change must be tried again. */
  async #make(copy: CopyState, changes: readonly TableRows[], until: number): Promise<boolean> {
    const mark = newMark()
    let isSent = false
    for (;;) {
      const isConnected = this.connection.isUp
      const state = await this.#shared.change(copy, mark, changes).catch((error: Error) => {
        if (!(error instanceof StoreError) || error.isAnswer) throw error
        isSent ||= isConnected
        if (performance.now() <= until) return undefined
        throw isSent ? new UnknownOutcome(`${error.message}: whether the change was made is not known`) : error
      })
      if (state === 'made') {
        this.#replica.apply(copy, changes, { ...copy, number: copy.number + 1, mark })
        return true
      }
      if (state === 'behind' || state === 'incomplete') return false
      if (state !== undefined && state !== 'recovering') throw this.#error(rejectionOf(state, undefined, copy))
      if (performance.now() > until) throw this.#error('was started a moment ago: try again')
      await pause(pollMs)
    }
  }

  /**
   * Brings the copy up to date. Rejects with an AccountsError if that fails.
   * @param begins if true and the database is empty, creates the shared accounts there. But if STORE_DIR is a copy
   * already, an empty database is an error
   */
  async #catchUp(begins = false): Promise<void> {
    const from = performance.now()
    /**
     * The server of this STORE_DIR copies everything. This process does so only if there is no server, or if the server
     * takes too long.
     */
    const copiesAll = () => !isServed(this.#replica.store) || performance.now() - from > copyMsMax / 2
    for (;;) {
      const result = await this.#replica.catchUp(this.#shared, { copiesAll })
      const { state, number } = result
      if (state === 'same') return
      if (state === 'empty' && begins && this.#replica.state === undefined) await this.#begin()
      else if (state !== 'incomplete' || performance.now() - from > copyMsMax) {
        throw this.#error(rejectionOf(state as Exclude<typeof state, 'unknown'>, number, this.#replica.state))
      } else await pause(pollMs)
    }
  }

  async #begin(): Promise<void> {
    const state = await this.#shared.begin()
    if (state === 'recovering') await pause(pollMs)
    else if (state !== 'begun') throw this.#error(state)
  }

  #error(reason: string): StoreError {
    return new StoreError(`the database at ${this.connection.place} ${reason}`, true)
  }
}

function unconfirmed(addresses: readonly string[], msMax: number): string {
  const names = addresses.slice(0, namesMax).join(', ') + (addresses.length > namesMax ? ', …' : '')
  return `the change is stored, but ${names} did not confirm it within ${msMax / 1000} s`
}
