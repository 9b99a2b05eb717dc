/**
 * A connection to the accounts' store (Redis or Valkey), which servers with ACCOUNTS_STORE share. The server has one, its pages'
 * thread another, and each command its own. All keys there begin with `prefix`.
 */

import type { Redis } from 'ioredis'
import { RedisConnection } from '../../redis.ts'
import { AccountsError, StoreError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import { replicationCommandMsMax, replicationReconnectMs } from './timing.ts'

/** Raise the number if servers of an earlier release must not read what this release writes. */
const prefix = 'card-prices:accounts:2:'

export const keyNamed = (name: string): string => prefix + name

/**
 * The key of data that has accounts by number. It contains the id of the shared accounts, because other shared
 * accounts use the same numbers.
 */
export const keyOfAccounts = (id: string, name: string): string => keyNamed(`${id}:${name}`)

/** The id of the accounts that this store replicates. Throws a StoreError as long as the replica is missing or incomplete. */
export function replicatedId(store: Store, connection: ReplicationConnection): string {
  const state = store.setting('copyOf')
  if (state?.whole !== true) throw connection.awayError
  return state.id
}

/** The name of a server's connection, by which other servers see whether its kernel has closed it. */
export const connectionNameOf = (serverId: string): string => prefix + serverId

export class ReplicationConnection extends RedisConnection {
  /** @param url redis://… @param name of the connection */
  constructor(url: string, name?: string) {
    super(url, { commandMsMax: replicationCommandMsMax, reconnectMs: replicationReconnectMs }, name)
  }

  get awayError(): StoreError {
    return new StoreError(`the accounts' store at ${this.place} can't be asked (${this.reason})`)
  }

  /**
   * Rejects with a StoreError if the store can't be asked or refuses.
   * @param query sends commands, each bounded in time
   */
  async query<Answer>(query: (redis: Redis) => Promise<Answer>): Promise<Answer> {
    if (this.runId === undefined) throw this.awayError
    try {
      return await query(this.redis)
    } catch (error) {
      const { name, message } = error as Error
      if (error instanceof AccountsError) throw error
      if (name === 'ReplyError') throw new StoreError(`the accounts' store at ${this.place} refuses (${message})`, true)
      this.reason = message
      throw this.awayError
    }
  }
}
