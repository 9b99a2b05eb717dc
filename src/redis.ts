/** Connections to Redis or Valkey: nothing queues, every command ends within a bound, and a lost connection is retried until it is closed. */
import { Redis } from 'ioredis'

export interface RedisBounds {
  /** For a command, and for an attempt to connect. */
  readonly commandMsMax: number
  /** Between two attempts to connect. */
  readonly reconnectMs: number
}

/**
 * Returns a client that has not connected yet.
 * @param url redis://… or rediss://…, which can hold a password
 * @param name of the connection, for CLIENT LIST
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
  /** The server can be asked (again). It may be another one, or have lost its data. */
  onBack?(): void
  /** The server can't be asked any more. @param reason contains no secret */
  onAway?(reason: string): void
}

/** A connection that knows whether the server can be asked. */
export class RedisConnection {
  readonly redis: Redis
  /** `HOST:PORT`; the rest of the address may be secret. */
  readonly place: string
  /** Why it can't be asked; contains no secret. */
  reason = 'not connected yet'
  readonly #onRun: (runId: string) => Promise<void>
  readonly #listeners: Listener[] = []
  #runId: string | undefined
  /** Settles when the last connection is ready or has failed; never rejects. */
  #starting: Promise<void> | undefined

  /**
   * @param name of the connection, for CLIENT LIST
   * @param onRun runs on each connection before anything else, with the server's run id
   */
  constructor(
    url: string,
    bounds: RedisBounds,
    name?: string,
    onRun: (runId: string) => Promise<void> = async () => {},
  ) {
    this.place = placeOf(url)
    this.#onRun = onRun
    this.redis = redisAt(url, bounds, name)
    this.redis.on('ready', () => {
      this.#starting = this.#start()
    })
    this.redis.on('close', () => {
      // After a failed attempt, `reason` says more.
      if (this.#runId !== undefined) this.#noteAway('the connection is closed')
    })
    // The error contains the command with its arguments, and so the password. Only the message is safe.
    this.redis.on('error', ({ message }: Error) => this.#noteAway(message))
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener)
  }

  /** Resolves when the server can be asked, or when the first attempt has failed: then it keeps trying. */
  async connect(): Promise<void> {
    await this.redis.connect().catch(({ message }: Error) => {
      this.reason = message
    })
    await this.#starting
  }

  /** Identifies the server's present run: another run may have lost data. Undefined while it can't be asked. */
  get runId(): string | undefined {
    return this.#runId
  }

  close(): void {
    this.#runId = undefined
    this.redis.disconnect()
  }

  async #start(): Promise<void> {
    try {
      const runId = /^run_id:(\S+)/m.exec(await this.redis.info('server'))?.[1] ?? 'unknown'
      await this.#onRun(runId)
      this.#runId = runId
      for (const { onBack } of this.#listeners) onBack?.()
    } catch (error) {
      this.#noteAway((error as Error).message)
      this.redis.disconnect(true)
    }
  }

  #noteAway(reason: string): void {
    this.reason = reason
    this.#runId = undefined
    for (const { onAway } of this.#listeners) onAway?.(reason)
  }
}

const defaultPort = 6379

function placeOf(url: string): string {
  const { hostname, port } = new URL(url)
  return `${hostname}:${port || defaultPort}`
}
