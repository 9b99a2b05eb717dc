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

/** Which run of the server there it is: another one may have forgotten. */
export async function runOf(redis: Redis): Promise<string> {
  return /^run_id:(\S+)/m.exec(await redis.info('server'))?.[1] ?? 'unknown'
}

const defaultPort = 6379

/** `HOST:PORT` of an address: all of it that may be told. */
export function placeOf(url: string): string {
  const { hostname, port } = new URL(url)
  return `${hostname}:${port || defaultPort}`
}
