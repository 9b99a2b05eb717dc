/**
 * Accounts that servers share: a change is tried on the copy, and what it would do goes to the store, which takes it only
 * if it is still where the copy is. So changes have one order, and nothing is ever merged.
 *
 *   copy at 7 ─ try ─▶ records ─ from 7, please ─▶ store at 7: made, 8      ─▶ copy at 8, then all servers
 *        ▲                                         store at 9: behind
 *        └───────────────── changes 8, 9 ◀──────────────┘
 */
import { setTimeout as pause } from 'node:timers/promises'
import {
  confirmMsMax,
  replicationLogBytesMax,
  replicationLogChangesMax,
  replicationSettlingMs,
  serverGoneMsMin,
} from '../../limits.ts'
import { AccountsError, StoreError, UnknownOutcome } from '../../store/accounts-error.ts'
import type { CopyOf } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { isServed } from '../control.ts'
import { ReplicationConnection } from './connection.ts'
import { refusalOf, refusalOfReplacing } from './refusals.ts'
import { Replica, refuseOwnAccounts } from './replica.ts'
import type { Replication } from './replication.ts'
import { lackingServers } from './servers.ts'
import { type Change, changesAfter, type Made, newMark, newStoreId, SharedStore } from './shared-store.ts'

/** So long a change waits for others, for a store that settles, and for one that does not answer. */
const changeMsMax = 2 * replicationSettlingMs + 1000
/** So long a copy is waited for that this machine's server makes. */
const copyMsMax = 10_000
const lookMs = 50
/** Of servers that are named in a line. */
const namesMax = 5

export class SharedReplication implements Replication {
  readonly #copy: Replica
  readonly #shared: SharedStore
  #connecting: Promise<void> | undefined

  /** @param shared whoever opened it closes its connection */
  constructor(store: Store, shared: SharedStore) {
    this.#copy = new Replica(store)
    this.#shared = shared
  }

  /** Nothing is asked before it is needed. */
  static open(store: Store, url: string): SharedReplication {
    return new SharedReplication(store, new SharedStore(new ReplicationConnection(url)))
  }

  async refresh(): Promise<void> {
    await this.#connected()
    await this.#catchUp()
  }

  async change<T>(action: () => T): Promise<T> {
    await this.#connected()
    const until = performance.now() + changeMsMax
    for (;;) {
      await this.#catchUp(true)
      const { result, changesets, at } = this.#copy.store.try(action)
      if (changesets.length === 0 || (await this.#make(at!, changesAfter(at!, changesets), until))) return result
    }
  }

  /**
   * @param msMax that servers have for it
   * @param last the change that they are to have; else what the copy has
   */
  async confirm(msMax = confirmMsMax, last = this.#copy.at!): Promise<string | undefined> {
    const { id, number } = last
    const from = performance.now()
    try {
      for (;;) {
        const lacking = lackingServers(await this.#shared.servers(), id, number)
        if (lacking.length === 0) return undefined
        const ms = performance.now() - from
        // Of one that is not connected any more it is known a moment later that it is dead.
        const isLate = lacking.some(
          ({ isConnected }) => ms > (isConnected ? msMax : Math.max(msMax, serverGoneMsMin + lookMs)),
        )
        if (isLate)
          return unconfirmed(
            lacking.map(({ address }) => address),
            msMax,
          )
        await pause(lookMs)
      }
    } catch (error) {
      if (!(error instanceof AccountsError)) throw error
      return `the change is stored, but which servers have it is not known: ${error.message}`
    }
  }

  async close(): Promise<void> {
    this.#shared.connection.close()
  }

  /** Whether the changes are made; if not, others were first. */
  async #make(at: CopyOf, changes: readonly Change[], until: number): Promise<boolean> {
    let isSent = false
    for (;;) {
      const isAsked = this.#shared.connection.run !== undefined
      const answer = await this.#change(at, changes).catch((error: Error) => {
        if (!(error instanceof StoreError) || error.isAnswer) throw error
        isSent ||= isAsked
        if (performance.now() <= until) return undefined
        throw isSent ? new UnknownOutcome(`${error.message}: whether the change was made is not known`) : error
      })
      const made = answer?.state
      if (made === 'made') {
        this.#copy.apply(at, changes)
        const { changes: since = 0, bytes = 0 } = answer!
        if (since > replicationLogChangesMax || bytes > replicationLogBytesMax) await this.#snapshot()
        return true
      }
      if (made === 'behind') return false
      if (made !== undefined && made !== 'settling') throw this.#refusal(refusalOf(answer!, at))
      if (performance.now() > until) throw this.#refusal('was started a moment ago: try again')
      await pause(lookMs)
    }
  }

  /** They may have been made though the answer was lost: asked again, the store makes them at most once. */
  async #change(at: CopyOf, changes: readonly Change[]): Promise<Made> {
    const made = await this.#shared.change(at, changes)
    return made.state === 'behind' && (await this.#shared.has(changes[0]!)) ? { state: 'made' } : made
  }

  /** The change is made. Another one that finds the log too long will try again. */
  async #snapshot(): Promise<void> {
    try {
      await this.#copy.withSnapshot(async (file, at) => at?.whole && (await this.#shared.snapshot(file, at)))
    } catch (error) {
      if (!(error instanceof AccountsError)) throw error
    }
  }

  async #connected(): Promise<void> {
    refuseOwnAccounts(this.#copy.store)
    const { connection } = this.#shared
    if (connection.run !== undefined) return
    this.#connecting ??= connection.connect()
    await this.#connecting
    if (connection.run === undefined) throw connection.away
  }

  /** @param begins whether a store without accounts is begun, if this has no copy of another */
  async #catchUp(begins = false): Promise<void> {
    const from = performance.now()
    /** A server of this machine copies everything itself, unless it can't. */
    const copies = () => !isServed(this.#copy.store) || performance.now() - from > copyMsMax / 2
    for (;;) {
      const lack = await this.#copy.catchUp(this.#shared, { copies })
      if (lack.state === 'same') return
      if (lack.state === 'empty' && begins && this.#copy.at === undefined) await this.#begin()
      else if (lack.state !== 'copy' || performance.now() - from > copyMsMax) {
        throw this.#refusal(refusalOf(lack, this.#copy.at))
      } else await pause(lookMs)
    }
  }

  /** The first account of all makes the store. */
  async #begin(): Promise<void> {
    const copy = { id: newStoreId(), number: 0, mark: newMark() }
    const begun = await this.#copy.withSnapshot((file) => this.#shared.replace(file, copy, 'begin', false))
    if (begun.state === 'made' || begun.state === 'taken') return
    throw this.#refusal(refusalOfReplacing(begun))
  }

  #refusal(reason: string): StoreError {
    return new StoreError(`the accounts' store at ${this.#shared.connection.place} ${reason}`, true)
  }
}

const unconfirmed = (addresses: readonly string[], msMax: number): string => {
  const told = addresses.slice(0, namesMax).join(', ') + (addresses.length > namesMax ? ', …' : '')
  return `the change is stored, but ${told} did not confirm it within ${msMax / 1000} s`
}
