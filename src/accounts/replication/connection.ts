/**
 * A connection to the accounts' store, which servers share (Redis or Valkey). It is loaded only with ACCOUNTS_STORE; the
 * server has one, its pages' thread another, and each command its own. What is kept there stands under `keys`.
 */
import type { Redis } from 'ioredis'
import { replicationCommandMsMax, replicationReconnectMs } from '../../limits.ts'
import { RedisConnection } from '../../redis.ts'
import { AccountsError, StoreError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'

/** The number is raised when servers of an earlier release must not read what is kept there. */
const prefix = 'card-prices:accounts:2:'

export const keyNamed = (name: string): string => prefix + name

/** The same of what all servers know about accounts by their numbers: the id of the shared accounts is in all names. */
export const nameIn = (id: string, name: string): string => keyNamed(`${id}:${name}`)

/** The id of the accounts that this is a copy of. Throws a StoreError as long as it is of none, or not whole. */
export function copiedId(store: Store, connection: ReplicationConnection): string {
  const copied = store.setting('copyOf')
  if (copied?.whole !== true) throw connection.away
  return copied.id
}

/** The name of a server's connection: by it others see that the kernel has not closed it. */
export const connectionNameOf = (serverId: string): string => prefix + serverId

export class ReplicationConnection extends RedisConnection {
  /** @param url redis://… @param name of the connection */
  constructor(url: string, name?: string) {
    super(url, { commandMsMax: replicationCommandMsMax, reconnectMs: replicationReconnectMs }, name)
  }

  /** What an operator is told who wants something of the store now. */
  get away(): StoreError {
    return new StoreError(`the accounts' store at ${this.place} can't be asked (${this.reason})`)
  }

  /** Rejects with a StoreError. @param question within the connection's bounds */
  async ask<Answer>(question: (redis: Redis) => Promise<Answer>): Promise<Answer> {
    if (this.run === undefined) throw this.away
    try {
      return await question(this.redis)
    } catch (error) {
      const { name, message } = error as Error
      if (error instanceof AccountsError) throw error
      if (name === 'ReplyError') throw new StoreError(`the accounts' store at ${this.place} refuses (${message})`, true)
      this.reason = message
      throw this.away
    }
  }
}
