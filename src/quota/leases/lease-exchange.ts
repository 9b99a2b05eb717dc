/**
 * Exchanges leases with the database: reports the leases of this process, and adds what the database grants. One
 * exchange covers many accounts. Exchanges run one at a time and start at least `exchangeGapMs` apart, so their rate
 * does not depend on the rate of requests.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { dateOfDay } from '../../calendar.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import type { Lease } from './lease.ts'

export const exchangeGapMs = 20
/** The most leases in one exchange. The database needs about 20 ms for them. */
const leasesMax = 256

interface Answer {
  /** For each lease that was sent, in order: the requests granted now, and the requests that other processes hold. */
  readonly answers: readonly (readonly [granted: number, others: number])[]
  /** Accounts whose quota other servers need. */
  readonly recalled: readonly number[]
}

export interface Exchanged {
  readonly granted: number
}

interface Waiting {
  readonly lease: Lease
  readonly size: number
  readonly resolve: (exchanged: Exchanged) => void
  readonly reject: (error: Error) => void
}

export class LeaseExchange {
  /** Identifies this process among those that hold leases. */
  process = randomUUID().slice(0, 13)
  /** The number of the last exchange. The database ignores an exchange that arrives after one with a higher number. */
  number = 0
  /** The number of leases in all exchanges so far. */
  leases = 0
  readonly #connection: PostgresConnection
  readonly #serverId: string
  readonly #waiting: Waiting[] = []
  #running: Promise<void> | undefined
  #recalled: readonly number[] = []

  /** @param serverId of the STORE_DIR */
  constructor(connection: PostgresConnection, serverId: string) {
    this.#connection = connection
    this.#serverId = serverId
  }

  /**
   * Reports a lease, and adds the requests that the database grants to it. Rejects with an AccountsError if the
   * database is unavailable.
   * @param size requests wanted; 0: only a report
   */
  exchange(lease: Lease, size: number): Promise<Exchanged> {
    lease.isUnreported = true
    return new Promise((resolve, reject) => {
      this.#waiting.push({ lease, size, resolve, reject })
      this.#start()
    })
  }

  /**
   * Returns the accounts whose quota other servers need. The database lists such an account for several polls, so it
   * does no harm to miss one list.
   */
  async recalled(day: number): Promise<readonly number[]> {
    await this.#running
    if (this.#waiting.length === 0) await this.#ask(day, [])
    return this.#recalled
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#waiting.length > 0) this.#start()
    })
  }

  async #run(): Promise<void> {
    // Leases that are requested in the same tick go into one exchange.
    await undefined
    const { day } = this.#waiting[0]!.lease
    const batch = this.#waiting.filter(({ lease }) => lease.day === day).slice(0, leasesMax)
    const taken = new Set(batch)
    this.#waiting.splice(0, Number.POSITIVE_INFINITY, ...this.#waiting.filter((each) => !taken.has(each)))
    // All servers lock accounts in this order, so their exchanges never deadlock.
    batch.sort((a, b) => a.lease.account - b.lease.account)
    try {
      const answers = await this.#ask(day, batch)
      for (const [i, { lease, resolve }] of batch.entries()) {
        const [granted, others] = answers[i]!
        lease.othersGranted = others
        lease.isUnreported = false
        lease.isRecalled = false
        lease.granted += granted
        resolve({ granted })
      }
    } catch (error) {
      for (const { reject } of batch) reject(error as Error)
    }
    await pause(exchangeGapMs)
  }

  async #ask(day: number, batch: readonly Waiting[]): Promise<Answer['answers']> {
    this.number++
    this.leases += batch.length
    const leases = batch.map(({ lease }) => lease)
    const values = [
      this.#serverId,
      this.process,
      this.number,
      dateOfDay(day),
      leases.map(({ account }) => account),
      leases.map(({ granted }) => granted),
      batch.map(({ size }) => size),
      leases.map(({ limit }) => limit),
    ]
    const sql = 'SELECT card_prices.exchange($1, $2, $3, $4, $5, $6, $7, $8) AS answer'
    const [found] = await this.#connection.query<{ answer: Answer | null }>(sql, values)
    if (found!.answer === null) throw new Error('a later exchange has arrived before this one')
    this.#recalled = found!.answer.recalled
    return found!.answer.answers
  }
}
