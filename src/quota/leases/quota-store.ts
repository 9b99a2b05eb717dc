/** The quota store that servers share: sends leases to it, and knows and logs whether it answers. scripts.ts has its rules. */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { dateOfDay } from '../../calendar.ts'
import { quotaCommandMsMax, quotaReconnectMs } from '../../limits.ts'
import { Absence } from '../../log/absence.ts'
import { RedisConnection } from '../../redis.ts'
import type { Lease } from './lease.ts'
import { epochKey, quotaKey, quotaScripts } from './scripts.ts'

export interface QuotaStoreOptions {
  /** redis://… */
  readonly url: string
  /** Whether requests are allowed while the store is away; for the log. */
  readonly failOpen: boolean
  readonly log: Logger
}

interface Events {
  /** The store answers again. */
  onBack(): void
  /** The store may be another one than before, or may have lost its data. */
  onConnected(): void
}

export class QuotaStore {
  readonly #process: string
  readonly #connection: RedisConnection
  readonly #events: Events
  readonly #log: Logger
  readonly #failOpen: boolean
  readonly #absence = new Absence()
  #epoch: string | null = null
  /** Leases sent to the store until now. */
  questions = 0

  constructor({ url, failOpen, log }: QuotaStoreOptions, serverId: string, events: Events) {
    this.#process = `${serverId}.${randomUUID().slice(0, 8)}`
    this.#events = events
    this.#log = log
    this.#failOpen = failOpen
    const bounds = { commandMsMax: quotaCommandMsMax, reconnectMs: quotaReconnectMs }
    this.#connection = new RedisConnection(url, bounds, undefined, (runId) => this.#beginEpoch(runId))
    this.#connection.define(quotaScripts, epochKey)
    const onBack = () => {
      this.#noteAnswer()
      events.onConnected()
    }
    this.#connection.listen({ onBack, onAway: (reason) => this.#noteAway(reason) })
  }

  /** Resolves when it is connected, or when the first attempt has failed: then it keeps trying. */
  connect(): Promise<void> {
    return this.#connection.connect()
  }

  get isConnected(): boolean {
    return this.#connection.runId !== undefined
  }

  /** Whether the store is connected and answered the last question. One that does not answer is asked again all the same. */
  get isUp(): boolean {
    return this.isConnected && !this.#absence.isAway
  }

  /**
   * Reports leases and requests `size` more for each. Records the answers in the leases, and returns what the first was granted, and in
   * how many ms the store grants again after a restart. Rejects if it can't be asked. Only one exchange of a lease may be in flight.
   */
  async exchange(leases: readonly Lease[], size = 0): Promise<{ granted: number; recoveryMs: number }> {
    const sent = leases.map((lease) => lease.granted)
    for (const lease of leases) lease.isUnreported = true
    try {
      const [recoveryMs, ...answers] = await this.#send(leases, size)
      for (const [i, [held, granted, others]] of answers.entries()) {
        const lease = leases[i]!
        // The next report has releases of the meantime.
        lease.isUnreported = lease.granted !== sent[i]
        lease.granted += held - sent[i]! + granted
        lease.uncounted += held - sent[i]!
        lease.wasForgotten = false
        lease.others = others
        lease.othersGranted = others.reduce((sum, value, at) => (at % 2 === 1 ? sum + Number(value) : sum), 0)
      }
      this.#noteAnswer()
      return { granted: answers[0]![1], recoveryMs }
    } catch (error) {
      this.#noteAway((error as Error).message)
      throw error
    }
  }

  /** Checks whether the store has lost its data while it ran: then `onConnected` runs. */
  async poll(): Promise<void> {
    try {
      const epoch = await this.#connection.redis.get(epochKey)
      if (!this.isConnected) return
      this.#noteAnswer()
      if (epoch !== this.#epoch) this.#events.onConnected()
      this.#epoch = epoch
    } catch (error) {
      this.#noteAway((error as Error).message)
    }
  }

  close(): void {
    // Exchanges in flight fail now, which is nothing to log.
    this.#absence.begin(() => undefined)
    this.#connection.close()
  }

  async #send(leases: readonly Lease[], size: number) {
    if (!this.isConnected) throw new Error('the quota store is away')
    this.questions += leases.length
    const keys = leases.map(({ day, accountId }) => quotaKey(dateOfDay(day), accountId))
    const values = leases.flatMap(({ granted, wasForgotten, usedEarlier, limit, others }) => [
      ...[granted, wasForgotten ? 1 : 0, usedEarlier, size, limit, others.length / 2],
      ...others,
    ])
    const run = [this.#connection.runId!, this.#process]
    return this.#connection.redis.leaseQuotas(1 + keys.length, epochKey, ...keys, ...run, ...values)
  }

  /** The first server that sees a run of the store begins its epoch, and with it the time without grants. */
  async #beginEpoch(runId: string): Promise<void> {
    const { redis } = this.#connection
    await redis.leaseQuotas(1, epochKey, runId, this.#process)
    this.#epoch = await redis.get(epochKey)
  }

  #noteAnswer(): void {
    if (this.#absence.end(() => this.#log.info('the quota store is back'))) this.#events.onBack()
  }

  #noteAway(reason: string): void {
    const effect = this.#failOpen ? 'allowed' : 'rejected'
    this.#absence.begin(() =>
      this.#log.warn({ reason }, `the quota store is away: once leases are used up, requests are ${effect}`),
    )
  }
}
