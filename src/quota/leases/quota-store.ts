/** The quota store that servers share, as calls of its scripts. scripts.ts describes its keys and rules. */
import type { Redis } from 'ioredis'
import { quotaCommandMsMax, quotaReconnectMs } from '../../limits.ts'
import { RedisConnection } from '../../redis.ts'
import type { Used } from './previous-instances.ts'
import { epochKey, inQuotaKey, quotaKey, quotaScripts, recalledKey } from './scripts.ts'

/** Server id → requests granted to it. */
export type Others = ReadonlyMap<string, number>

/** A server's report of one lease. */
export interface LeaseReport {
  /** YYYY-MM-DD */
  readonly date: string
  readonly accountId: string
  /** Granted to this server, less what it releases by this report. */
  readonly held: number
  /** The other servers' leases, as of the store's last response. */
  readonly others: Others
}

export interface LeaseRequest extends LeaseReport {
  readonly limit: number
  readonly size: number
}

export interface LeaseResponse {
  readonly granted: number
  /** ms until the store grants again after a restart; 0 if it does now. */
  readonly recoveryMs: number
  readonly others: Others
}

/** A quota that other servers need: unused leases of it should be released. */
export interface Recalled {
  readonly day: number
  readonly accountId: string
}

export class QuotaStore {
  readonly #connection: RedisConnection
  readonly #serverId: string
  readonly #onConnected: () => void
  #epoch: string | undefined
  /** By the store's clock: recalls up to this time are known. */
  #recalledUntil = 0

  /**
   * @param serverId differs at each start of a server
   * @param onConnected runs when the store can be asked (again), or has lost its data
   * @param onAway runs when the store can't be asked; the reason holds no secret
   */
  constructor(url: string, serverId: string, onConnected: () => void, onAway: (reason: string) => void) {
    this.#serverId = serverId
    this.#onConnected = onConnected
    const bounds = { commandMsMax: quotaCommandMsMax, reconnectMs: quotaReconnectMs }
    this.#connection = new RedisConnection(url, bounds, undefined, (runId) => this.#readEpoch(runId))
    this.#connection.define(quotaScripts, epochKey)
    this.#connection.listen({ onBack: onConnected, onAway })
  }

  /** Resolves when it is connected, or when the first attempt has failed: then it keeps trying. */
  connect(): Promise<void> {
    return this.#connection.connect()
  }

  get #redis(): Redis {
    return this.#connection.redis
  }

  get isConnected(): boolean {
    return this.#connection.runId !== undefined
  }

  /** Changes when the store restarts or loses its data; undefined while it can't be asked. */
  get epoch(): string | undefined {
    return this.isConnected ? this.#epoch : undefined
  }

  /** Reports one lease and requests more. Rejects if the store can't be asked. */
  async lease({ date, accountId, limit, held, size, others }: LeaseRequest): Promise<LeaseResponse> {
    this.#checkConnected()
    const [granted, recoveryMs, fields] = await this.#redis.leaseQuota(
      quotaKey(date, accountId),
      epochKey,
      recalledKey,
      ...[this.#connection.runId!, this.#serverId, held, size, limit, ...[...others].flat()],
    )
    return { granted, recoveryMs, others: othersIn(fields) }
  }

  /** Returns what other servers hold of each quota. Rejects if the store can't be asked. */
  async report(reports: readonly LeaseReport[]): Promise<Others[]> {
    this.#checkConnected()
    const keys = reports.map(({ date, accountId }) => quotaKey(date, accountId))
    const values = reports.flatMap(({ held, others }) => [held, others.size, ...[...others].flat()])
    return (await this.#redis.reportLeases(keys.length, ...keys, this.#serverId, ...values)).map(othersIn)
  }

  /** Raises what stands under these ids to what they used in all. Rejects if the store can't be asked. */
  async reportUsed(ids: readonly string[], date: string, used: Used): Promise<void> {
    this.#checkConnected()
    const keys = used.map(([accountId]) => quotaKey(date, accountId))
    await this.#redis.reportUsed(keys.length, ...keys, ids.length, ...ids, ...used.map(([, requests]) => requests))
  }

  /**
   * Checks whether the store has lost its data while it ran, and returns what was recalled since the last poll. A missed recall does
   * no harm: the store repeats it while other servers ask. Rejects if the store can't be asked.
   */
  async poll(): Promise<Recalled[]> {
    const { runId } = this.#connection
    if (runId === undefined) return []
    const [epoch, recalled] = await Promise.all([
      this.#redis.get(epochKey),
      this.#redis.zrangebyscore(recalledKey, `(${this.#recalledUntil}`, '+inf', 'WITHSCORES'),
    ])
    if (epoch !== this.#epoch) {
      await this.#readEpoch(runId)
      this.#onConnected()
    }
    const found: Recalled[] = []
    for (let i = 0; i < recalled.length; i += 2) {
      found.push(inQuotaKey(recalled[i]!))
      this.#recalledUntil = Number(recalled[i + 1])
    }
    return found
  }

  close(): void {
    this.#connection.close()
  }

  #checkConnected(): void {
    if (!this.isConnected) throw new Error('the quota store is away')
  }

  /** The first server that sees a run of the store begins its epoch, and with it the recovery time. */
  async #readEpoch(runId: string): Promise<void> {
    let epoch = await this.#redis.get(epochKey)
    if (epoch?.split(' ')[0] !== runId) {
      const [seconds, microseconds] = await this.#redis.time()
      epoch = `${runId} ${Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000)}`
      await this.#redis.set(epochKey, epoch)
    }
    this.#epoch = epoch
    this.#recalledUntil = 0
  }
}

/** @param fields of a hash, each followed by its value */
function othersIn(fields: readonly string[]): Others {
  const others = new Map<string, number>()
  for (let i = 0; i < fields.length; i += 2) others.set(fields[i]!, Number(fields[i + 1]))
  return others
}
