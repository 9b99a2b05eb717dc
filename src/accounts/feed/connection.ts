/**
 * A connection to the accounts' store, which servers share (Redis or Valkey). It is loaded only with ACCOUNTS_STORE; the
 * server has one, its pages' thread another, and each command its own. What is kept there stands under `keys`.
 */
import type { Redis } from 'ioredis'
import { feedCommandMsMax, feedReconnectMs } from '../../limits.ts'
import { placeOf, redisAt, runOf } from '../../redis.ts'
import { AccountsError, StoreError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'

const prefix = 'card-prices:accounts:'

/** The name of something of the accounts in the store. */
export const keyNamed = (name: string): string => prefix + name

/** The same of what all servers know about accounts by their numbers: the id of the shared accounts is in all names. */
export const nameIn = (id: string, name: string): string => keyNamed(`${id}:${name}`)

/** The id of the accounts that this is a copy of. Throws a StoreError as long as it is of none, or not whole. */
export function copiedId(store: Store, connection: FeedConnection): string {
  const copied = store.setting('copyOf')
  if (copied?.whole !== true) throw connection.away
  return copied.id
}

/** The name of a server's connection: by it others see that the kernel has not closed it. */
export const connectionNameOf = (serverId: string): string => prefix + serverId

interface Listener {
  /** The store can be asked (again): it may be another than before, or have forgotten. */
  onBack?(): void
  /** It can't be asked any more. @param reason holds no secret */
  onAway?(reason: string): void
}

export class FeedConnection {
  readonly redis: Redis
  /** `HOST:PORT`, all of its address that may be told. */
  readonly place: string
  readonly #listeners: Listener[] = []
  #run: string | undefined
  #reason = 'it has not been tried'
  /** Settles when the connection last made has been tried; never rejects. */
  #greeting: Promise<void> | undefined

  /** @param url redis://… @param name of the connection */
  constructor(url: string, name?: string) {
    this.place = placeOf(url)
    this.redis = redisAt(url, { commandMsMax: feedCommandMsMax, reconnectMs: feedReconnectMs }, name)
    this.redis.on('ready', () => {
      this.#greeting = this.#greet()
    })
    this.redis.on('close', () => {
      // After an attempt that failed, the reason is known better.
      if (this.#run !== undefined) this.#gone('the connection is closed')
    })
    // The event carries the command with its arguments, the password among them: the message alone is safe.
    this.redis.on('error', ({ message }: Error) => this.#gone(message))
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener)
  }

  /** Resolves when the store can be asked, or the first attempt to reach it has failed: then it goes on trying. */
  async connect(): Promise<void> {
    await this.redis.connect().catch(({ message }: Error) => {
      this.#reason = message
    })
    await this.#greeting
  }

  /** Which run of the store this is; undefined while it can't be asked. */
  get run(): string | undefined {
    return this.#run
  }

  /** What an operator is told who wants something of the store now. */
  get away(): StoreError {
    return new StoreError(`the accounts' store at ${this.place} can't be asked (${this.#reason})`)
  }

  /** Rejects with a StoreError. @param question within the connection's bounds */
  async ask<Answer>(question: (redis: Redis) => Promise<Answer>): Promise<Answer> {
    if (this.#run === undefined) throw this.away
    try {
      return await question(this.redis)
    } catch (error) {
      const { name, message } = error as Error
      if (error instanceof AccountsError) throw error
      if (name === 'ReplyError') throw new StoreError(`the accounts' store at ${this.place} refuses (${message})`, true)
      this.#reason = message
      throw this.away
    }
  }

  close(): void {
    this.#run = undefined
    this.redis.disconnect()
  }

  async #greet(): Promise<void> {
    try {
      this.#run = await runOf(this.redis)
      for (const { onBack } of this.#listeners) onBack?.()
    } catch (error) {
      this.#gone((error as Error).message)
      this.redis.disconnect(true)
    }
  }

  #gone(reason: string): void {
    this.#reason = reason
    this.#run = undefined
    for (const { onAway } of this.#listeners) onAway?.(reason)
  }
}
