/**
 * The quota store that servers share, as calls of its scripts. lease-scripts.ts has the keys and rules of the store.
 * The log says when the store stops answering, and when it answers again.
 */

import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { Absence } from '../../log/absence.ts'
import { RedisConnection } from '../../redis.ts'
import { type Lease, recordOthers } from './lease.ts'
import { epochKey, quotaScripts, recalledKey } from './lease-scripts.ts'
import { quotaCommandMsMax, quotaReconnectMs } from './timing.ts'

export interface QuotaStoreOptions {
  /** redis://… */
  readonly url: string
  /** Whether requests are allowed while the store is away; for the log. */
  readonly failOpen: boolean
  readonly log: Logger
}

interface ExchangeAnswer {
  readonly epoch: string
  /** ms until the store grants again after a restart; 0 if it does now. */
  readonly recoveryMs: number
  readonly leases: readonly { readonly granted: number; readonly others: Lease['others'] }[]
}

export class QuotaStore {
  /** This server's id in the quota store, which differs at each start. */
  readonly id = randomUUID().slice(0, 8)
  readonly #connection: RedisConnection
  readonly #options: QuotaStoreOptions
  readonly #onBack: () => void
  readonly #onEpoch: () => void
  readonly #absence = new Absence()
  #epoch: string | undefined
  /** How many leases were sent to the store until now. */
  questions = 0

  /**
   * @param onBack runs when the store answers again
   * @param onEpoch runs when the store may be another one than before, or may have lost its data
   */
  constructor(options: QuotaStoreOptions, onBack: () => void, onEpoch: () => void) {
    this.#options = options
    this.#onBack = onBack
    this.#onEpoch = onEpoch
    const bounds = { commandMsMax: quotaCommandMsMax, reconnectMs: quotaReconnectMs }
    this.#connection = new RedisConnection(options.url, bounds)
    this.#connection.define(quotaScripts, epochKey)
    this.#connection.listen({
      onBack: () => {
        this.#epoch = undefined
        this.#noteAnswer()
        void this.poll()
      },
      onAway: (reason) => this.#noteAway(reason),
    })
  }

  /** Resolves when the store can be asked, or when the first attempt has failed. Then the connection keeps trying. */
  connect(): Promise<void> {
    return this.#connection.connect()
  }

  get isConnected(): boolean {
    return this.#connection.runId !== undefined
  }

  /**
   * Whether the store is connected and answered the last question. A store that did not answer is still asked again.
   */
  get isUp(): boolean {
    return this.isConnected && !this.#absence.isAway
  }

  /** Changes when the store restarts or loses its data; undefined while it is not known. */
  get epoch(): string | undefined {
    return this.isConnected ? this.#epoch : undefined
  }

  /**
   * Reports leases, and adds to them what the store grants. Rejects if the store can't be asked.
   * @param size requests wanted for each lease
   */
  async exchange(leases: readonly Lease[], size = 0): Promise<{ granted: number; recoveryMs: number }> {
    if (this.isConnected) this.questions += leases.length
    for (const lease of leases) lease.isUnreported = true
    try {
      const { epoch, recoveryMs, leases: answers } = await this.#send(leases, size)
      this.#noteAnswer()
      if (epoch !== this.#epoch) {
        this.#epoch = epoch
        this.#onEpoch()
      }
      let granted = 0
      for (const [i, lease] of leases.entries()) {
        const answer = answers[i]!
        recordOthers(lease, answer.others)
        lease.granted += answer.granted
        granted += answer.granted
      }
      return { granted, recoveryMs }
    } catch (error) {
      this.#noteAway((error as Error).message)
      throw error
    }
  }

  async #send(leases: readonly Lease[], size: number): Promise<ExchangeAnswer> {
    const run = this.#connection.runId
    if (run === undefined) throw new Error('the quota store is away')
    const sent = leases.map(({ granted, limit, others }) => ({ held: granted, limit, size, others }))
    const keys = [epochKey, recalledKey, ...leases.map(({ key }) => key)]
    const json = JSON.stringify({ run, server: this.id, leases: sent })
    return JSON.parse(await this.#connection.redis.exchangeLeases(keys.length, ...keys, json))
  }

  /**
   * Raises the sum that each quota's hash has under the ids to the requests used, if the sum is lower. Rejects if the
   * store can't be asked.
   */
  async reportUsed(ids: readonly string[], used: readonly (readonly [key: string, requests: number])[]): Promise<void> {
    const keys = used.map(([key]) => key)
    const requests = used.map(([, count]) => count)
    await this.#connection.redis.reportUsed(keys.length, ...keys, JSON.stringify(ids), JSON.stringify(requests))
  }

  /**
   * Checks whether the store has lost its data while it ran. Returns the keys of quotas that other servers need: this
   * server should release what it holds of these quotas and does not use. If a key is missed, that does no harm. The
   * store lists it again while other servers ask.
   */
  async poll(): Promise<readonly string[]> {
    if (!this.isConnected) return []
    try {
      const [recalled] = await Promise.all([this.#connection.redis.zrange(recalledKey, '0', '-1'), this.exchange([])])
      return recalled
    } catch (error) {
      this.#noteAway((error as Error).message)
      return []
    }
  }

  close(): void {
    // Exchanges in flight fail now, which is nothing to log.
    this.#absence.begin(() => undefined)
    this.#connection.close()
  }

  #noteAnswer(): void {
    if (this.#absence.end(() => this.#options.log.info('the quota store is back'))) this.#onBack()
  }

  #noteAway(reason: string): void {
    const { log, failOpen } = this.#options
    const effect = failOpen ? 'allowed' : 'rejected'
    this.#absence.begin(() =>
      log.warn({ reason }, `the quota store is away: once leases are used up, requests are ${effect}`),
    )
  }
}
