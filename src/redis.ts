/**
 * Connections to Redis or Valkey. No command waits in a queue, and every command ends within a bound. A lost connection
 * is opened again, until `close` is called.
 */
import { Redis } from 'ioredis'

const defaultPort = 6379

export interface RedisBounds {
  /** The longest time that a command, or an attempt to connect, may take. */
  readonly commandMsMax: number
  /** The pause between two attempts to connect. */
  readonly reconnectMs: number
}

interface Listener {
  /**
   * The server can be asked, for the first time or again. It may be another server than before, or have lost its data.
   */
  onBack?(): void
  /** The server can't be asked any more. @param reason contains no secret */
  onAway?(reason: string): void
}

export type RedisScripts = Readonly<Record<string, { readonly lua: string; readonly numberOfKeys?: number }>>

/**
 * Returns those of some commands that the user may not call on a key. Redis before 7 does not say, so it returns none.
 */
const lackedLua = `
local lacked = {}
for i, command in ipairs(redis.acl_check_cmd and ARGV or {}) do
  if not redis.acl_check_cmd(command, KEYS[1]) then lacked[#lacked + 1] = command end
end
return lacked
`

declare module 'ioredis' {
  interface RedisCommander {
    lackedRights(key: string, ...commands: string[]): Promise<string[]>
  }
}

/** A connection that knows whether the server can be asked. */
export class RedisConnection {
  readonly redis: Redis
  /** `HOST:PORT`; the rest of the address may be secret. */
  readonly place: string
  /** Why the server can't be asked; contains no secret. */
  reason = 'not connected yet'
  readonly #listeners: Listener[] = []
  /** Redis commands that the defined scripts call. */
  readonly #called = new Set<string>()
  #key: string | undefined
  #runId: string | undefined
  /** Settles when the last connection is ready or has failed; never rejects. */
  #starting: Promise<void> | undefined
  #isClosed = false

  /**
   * @param url redis://… or rediss://…, which can hold a password
   * @param name of the connection, for CLIENT LIST
   */
  constructor(url: string, { commandMsMax, reconnectMs }: RedisBounds, name?: string) {
    const { hostname, port } = new URL(url)
    this.place = `${hostname}:${port || defaultPort}`
    this.redis = new Redis(url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: commandMsMax,
      commandTimeout: commandMsMax,
      retryStrategy: () => reconnectMs,
      ...(name !== undefined && { connectionName: name }),
    })
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

  /**
   * Defines scripts as commands. If the user may not run the commands that scripts call, the server can't be asked.
   * Call it before `connect`.
   * @param key one of the keys that they use
   */
  define(scripts: RedisScripts, key: string): void {
    this.#key = key
    for (const [name, script] of Object.entries(scripts)) {
      this.redis.defineCommand(name, script)
      for (const [, command] of script.lua.matchAll(/redis\.call\('(\w+)'/g)) this.#called.add(command!)
    }
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener)
  }

  /** Resolves when the server can be asked, or when the first attempt has failed. Then the connection keeps trying. */
  async connect(): Promise<void> {
    // `reason` says more than this error, which says only that the connection is closed.
    await this.redis.connect().catch(() => undefined)
    await this.#starting
  }

  /** Identifies the server's present run: another run may have lost data. Undefined while it can't be asked. */
  get runId(): string | undefined {
    return this.#runId
  }

  /** Closes the connection for good. Listeners are not called any more. */
  close(): void {
    this.#isClosed = true
    this.#runId = undefined
    this.redis.disconnect()
  }

  async #start(): Promise<void> {
    try {
      const info = await this.redis.info()
      const runId = /^run_id:(\S+)/m.exec(info)?.[1] ?? 'unknown'
      const [, policy = 'noeviction'] = /^maxmemory_policy:(\S+)/m.exec(info) ?? []
      if (policy !== 'noeviction')
        throw new Error(`its maxmemory-policy is ${policy}: set noeviction, or it drops keys`)
      await this.#checkRights()
      if (this.#isClosed) return
      this.#runId = runId
      for (const { onBack } of this.#listeners) onBack?.()
    } catch (error) {
      if (this.#isClosed) return
      const { message } = error as Error
      this.#noteAway(message.startsWith('NOPERM') ? `${message}: allow that by ACL SETUSER` : message)
      this.redis.disconnect(true)
    }
  }

  /** Throws if the user may not run the scripts. */
  async #checkRights(): Promise<void> {
    if (this.#key === undefined) return
    this.redis.defineCommand('lackedRights', { lua: lackedLua, numberOfKeys: 1 })
    const lacked = await this.redis.lackedRights(this.#key, ...this.#called)
    if (lacked.length > 0) throw new Error(`its user may not run ${lacked.join(', ')}: allow that by ACL SETUSER`)
  }

  #noteAway(reason: string): void {
    if (this.#isClosed) return
    this.reason = reason
    this.#runId = undefined
    for (const { onAway } of this.#listeners) onAway?.(reason)
  }
}
