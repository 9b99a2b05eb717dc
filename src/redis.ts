/**
 * Redis or Valkey, as all that speaks to one here does: nothing queues, every question ends within a bound, and a lost
 * connection is tried again for as long as there is somebody to use it.
 */
import { Redis } from 'ioredis'

export interface RedisBounds {
  /** Of one question, and of an attempt to connect. */
  readonly commandMsMax: number
  /** From one attempt to connect to the next. */
  readonly reconnectMs: number
}

/**
 * A client that has not connected yet.
 * @param url redis://… or rediss://…, which can hold a password
 * @param name by which the server there lists the connection
 */
export function redisAt(url: string, { commandMsMax, reconnectMs }: RedisBounds, name?: string): Redis {
  return new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: commandMsMax,
    commandTimeout: commandMsMax,
    retryStrategy: () => reconnectMs,
    ...(name !== undefined && { connectionName: name }),
  })
}

interface Listener {
  /** The server can be asked (again): it may be another than before, or have forgotten. */
  onBack?(): void
  /** It can't be asked any more. @param reason holds no secret */
  onAway?(reason: string): void
}

/** A connection that knows whether the server can be asked. */
export class RedisConnection {
  readonly redis: Redis
  /** `HOST:PORT`, all of its address that may be told. */
  readonly place: string
  /** Why it can't be asked; holds no secret. */
  reason = 'it has not been tried'
  readonly #greet: (run: string) => Promise<void>
  readonly #listeners: Listener[] = []
  #run: string | undefined
  /** Settles when the connection last made has been tried; never rejects. */
  #greeting: Promise<void> | undefined

  /**
   * @param name by which the server lists the connection
   * @param greet what is asked of each run of the server before anything else
   */
  constructor(url: string, bounds: RedisBounds, name?: string, greet: (run: string) => Promise<void> = async () => {}) {
    this.place = placeOf(url)
    this.#greet = greet
    this.redis = redisAt(url, bounds, name)
    this.redis.on('ready', () => {
      this.#greeting = this.#begin()
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

  /** Resolves when the server can be asked, or the first attempt to reach it has failed: then it goes on trying. */
  async connect(): Promise<void> {
    await this.redis.connect().catch(({ message }: Error) => {
      this.reason = message
    })
    await this.#greeting
  }

  /** Which run of the server this is: another one may have forgotten. Undefined while it can't be asked. */
  get run(): string | undefined {
    return this.#run
  }

  close(): void {
    this.#run = undefined
    this.redis.disconnect()
  }

  async #begin(): Promise<void> {
    try {
      const run = /^run_id:(\S+)/m.exec(await this.redis.info('server'))?.[1] ?? 'unknown'
      await this.#greet(run)
      this.#run = run
      for (const { onBack } of this.#listeners) onBack?.()
    } catch (error) {
      this.#gone((error as Error).message)
      this.redis.disconnect(true)
    }
  }

  #gone(reason: string): void {
    this.reason = reason
    this.#run = undefined
    for (const { onAway } of this.#listeners) onAway?.(reason)
  }
}

const defaultPort = 6379

/** `HOST:PORT` of an address: all of it that may be told. */
function placeOf(url: string): string {
  const { hostname, port } = new URL(url)
  return `${hostname}:${port || defaultPort}`
}
