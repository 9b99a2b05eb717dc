/** The quota store as the keeper of leases speaks to it: questions about one lease, and whether they can be asked at all. */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { dateOfDay } from '../../calendar.ts'
import type { Lease } from './lease.ts'
import type { Used } from './predecessors.ts'
import { type Answer, QuotaStore } from './redis.ts'

export interface LenderOptions {
  /** redis://… */
  readonly url: string
  /** What becomes of requests while it is away: for the log. */
  readonly failOpen: boolean
  readonly log: Logger
}

export class Lender {
  /** This process's, of its own for every start. */
  readonly id = randomUUID().slice(0, 8)
  readonly #quotaStore: QuotaStore
  readonly #failOpen: boolean
  readonly #log: Logger
  #away = false
  /** Sent until now, whether they were answered or not. */
  questions = 0

  /** @param onBack runs when it can be asked (again): it may be another store than before, or have forgotten */
  constructor({ url, failOpen, log }: LenderOptions, onBack: () => void) {
    this.#failOpen = failOpen
    this.#log = log
    this.#quotaStore = new QuotaStore(
      url,
      this.id,
      () => {
        this.#heard()
        onBack()
      },
      (reason) => this.#gone(reason),
    )
  }

  /** Returns when it can be asked, or the first attempt to reach it has failed. */
  async connect(): Promise<void> {
    await this.#quotaStore.connect()
  }

  /** Whether it is connected, and can be asked. */
  get ready(): boolean {
    return this.#quotaStore.ready
  }

  /** Whether the last question was answered, too: one that hangs is not up, and is asked nevertheless. */
  get up(): boolean {
    return this.ready && !this.#away
  }

  /** Tells it what is held, and asks for `want` more. Rejects if it can't be asked. */
  async exchange(lease: Lease, want: number): Promise<Answer> {
    if (this.ready) this.questions++
    lease.unheard = true
    const question = { ...lease, date: dateOfDay(lease.day), account: lease.name, mine: lease.granted, want }
    const answer = await this.#quotaStore.ask(question).catch((error: Error) => {
      this.#gone(error.message)
      throw error
    })
    this.#heard()
    lease.unheard = false
    lease.others = answer.others
    lease.granted += answer.granted
    return answer
  }

  /** What the store says of itself: it is another text after it was restarted or emptied. Undefined while it can't be asked. */
  get since(): string | undefined {
    return this.#quotaStore.since
  }

  /** Tells it what processes before this one have used of a day at least. Rejects if it can't be asked. */
  async tellOf(ids: readonly string[], day: number, used: Used): Promise<void> {
    await this.#quotaStore.tellOf(ids, dateOfDay(day), used)
  }

  /** Finds out whether it was emptied: then `onBack` runs. */
  async look(): Promise<void> {
    await this.#quotaStore.look().then(
      () => this.ready && this.#heard(),
      (error: Error) => this.#gone(error.message),
    )
  }

  close(): void {
    // What is under way fails by this, and is nothing to tell.
    this.#away = true
    this.#quotaStore.close()
  }

  #heard(): void {
    if (this.#away) this.#log.info('the quota store is back')
    this.#away = false
  }

  #gone(reason: string): void {
    if (this.#away) return
    this.#away = true
    const then = this.#failOpen ? 'requests are let through' : 'requests are refused'
    this.#log.warn({ reason }, `the quota store is away: ${then} once what is leased is used up`)
  }
}
