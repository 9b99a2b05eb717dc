/** The lease manager's access to the quota store: it sends leases, and knows and logs whether the store answers. */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { dateOfDay } from '../../calendar.ts'
import { Absence } from '../../log/absence.ts'
import { type Lease, recordOthers } from './lease.ts'
import type { Used } from './previous-instances.ts'
import { type LeaseReport, type LeaseResponse, QuotaStore, type Recalled } from './quota-store.ts'

export interface QuotaClientOptions {
  /** redis://… */
  readonly url: string
  /** Whether requests are allowed while the store is away; for the log. */
  readonly failOpen: boolean
  readonly log: Logger
}

export class QuotaClient {
  /** Of this process; it differs at each start. */
  readonly id = randomUUID().slice(0, 8)
  readonly #store: QuotaStore
  readonly #failOpen: boolean
  readonly #log: Logger
  readonly #onBack: () => void
  readonly #absence = new Absence()
  /** Leases sent to the store until now. */
  questions = 0

  /**
   * @param onBack runs when the store answers again
   * @param onConnected runs when the store may be another one than before, or may have lost its data
   */
  constructor({ url, failOpen, log }: QuotaClientOptions, onBack: () => void, onConnected: () => void) {
    this.#failOpen = failOpen
    this.#log = log
    this.#onBack = onBack
    this.#store = new QuotaStore(
      url,
      this.id,
      () => {
        this.#noteAnswer()
        onConnected()
      },
      (reason) => this.#noteAway(reason),
    )
  }

  /** Resolves when the store can be asked, or when the first attempt to reach it has failed. */
  async connect(): Promise<void> {
    await this.#store.connect()
  }

  get isConnected(): boolean {
    return this.#store.isConnected
  }

  /** Whether the store is connected and answered the last question. One that does not answer is asked again all the same. */
  get isUp(): boolean {
    return this.isConnected && !this.#absence.isAway
  }

  /** @see QuotaStore.epoch */
  get epoch(): string | undefined {
    return this.#store.epoch
  }

  /** Reports the lease and requests `nextSize` more. Rejects if the store can't be asked. */
  async request(lease: Lease): Promise<LeaseResponse> {
    const { limit, nextSize } = lease
    const response = await this.#send([lease], ([report]) => this.#store.lease({ ...report!, limit, size: nextSize }))
    recordOthers(lease, response.others)
    lease.granted += response.granted
    return response
  }

  /** Rejects if the store can't be asked. */
  async report(leases: readonly Lease[]): Promise<void> {
    const others = await this.#send(leases, (reports) => this.#store.report(reports))
    for (const [i, lease] of leases.entries()) recordOthers(lease, others[i]!)
  }

  /** @see QuotaStore.reportUsed */
  async reportUsed(ids: readonly string[], day: number, used: Used): Promise<void> {
    await this.#store.reportUsed(ids, dateOfDay(day), used)
  }

  /** Checks whether the store has lost its data (then `onConnected` runs), and returns what is recalled. */
  async poll(): Promise<readonly Recalled[]> {
    try {
      const recalled = await this.#store.poll()
      if (this.isConnected) this.#noteAnswer()
      return recalled
    } catch (error) {
      this.#noteAway((error as Error).message)
      return []
    }
  }

  close(): void {
    // Exchanges in flight fail now, which is nothing to log.
    this.#absence.begin(() => undefined)
    this.#store.close()
  }

  async #send<Response>(
    leases: readonly Lease[],
    send: (reports: readonly LeaseReport[]) => Promise<Response>,
  ): Promise<Response> {
    if (this.isConnected) this.questions += leases.length
    for (const lease of leases) lease.isUnreported = true
    const reports = leases.map(({ day, accountId, granted, others }) => ({
      date: dateOfDay(day),
      accountId,
      held: granted,
      others,
    }))
    try {
      const response = await send(reports)
      this.#noteAnswer()
      return response
    } catch (error) {
      this.#noteAway((error as Error).message)
      throw error
    }
  }

  #noteAnswer(): void {
    if (this.#absence.end(() => this.#log.info('the quota store is back'))) this.#onBack()
  }

  #noteAway(reason: string): void {
    const effect = this.#failOpen ? 'allowed' : 'rejected'
    this.#absence.begin(() =>
      this.#log.warn({ reason }, `the quota store is away: once leases are used up, requests are ${effect}`),
    )
  }
}
