/** The quota store as the keeper of leases speaks to it: questions about one lease, and whether they can be asked at all. */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { dateOfDay } from '../../calendar.ts'
import { hear, type Lease } from './lease.ts'
import type { Used } from './previous-instances.ts'
import { type Answer, type Held, QuotaStore, type Recalled } from './redis.ts'

export interface QuotaClientOptions {
  /** redis://… */
  readonly url: string
  /** What becomes of requests while it is away: for the log. */
  readonly failOpen: boolean
  readonly log: Logger
}

export class QuotaClient {
  /** This process's, of its own for every start. */
  readonly id = randomUUID().slice(0, 8)
  readonly #quotaStore: QuotaStore
  readonly #failOpen: boolean
  readonly #log: Logger
  readonly #onUp: () => void
  #away = false
  /** Sent until now, whether they were answered or not. */
  questions = 0

  /**
   * @param onUp runs when it answers again
   * @param onGreeted runs when it may be another store than before, or have forgotten
   */
  constructor({ url, failOpen, log }: QuotaClientOptions, onUp: () => void, onGreeted: () => void) {
    this.#failOpen = failOpen
    this.#log = log
    this.#onUp = onUp
    this.#quotaStore = new QuotaStore(
      url,
      this.id,
      () => {
        this.#heard()
        onGreeted()
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
  async ask(lease: Lease): Promise<Answer> {
    const { limit, want } = lease
    const answer = await this.#exchange([lease], ([held]) => this.#quotaStore.ask({ ...held!, limit, want }))
    hear(lease, answer.others)
    lease.granted += answer.granted
    return answer
  }

  /** Tells it what is held of each. Rejects if it can't be told. */
  async tell(leases: readonly Lease[]): Promise<void> {
    const others = await this.#exchange(leases, (held) => this.#quotaStore.tell(held))
    for (const [i, lease] of leases.entries()) hear(lease, others[i]!)
  }

  async #exchange<Told>(leases: readonly Lease[], tell: (held: readonly Held[]) => Promise<Told>): Promise<Told> {
    if (this.ready) this.questions += leases.length
    for (const lease of leases) lease.unheard = true
    const held = leases.map(({ day, name, granted, others }) => ({
      date: dateOfDay(day),
      account: name,
      mine: granted,
      others,
    }))
    try {
      const told = await tell(held)
      this.#heard()
      return told
    } catch (error) {
      this.#gone((error as Error).message)
      throw error
    }
  }

  /** What the store says of itself: it is another text after it was restarted or emptied. Undefined while it can't be asked. */
  get since(): string | undefined {
    return this.#quotaStore.since
  }

  /** Tells it what processes before this one have used of a day at least. Rejects if it can't be asked. */
  async tellOf(ids: readonly string[], day: number, used: Used): Promise<void> {
    await this.#quotaStore.tellOf(ids, dateOfDay(day), used)
  }

  /** Finds out whether it was emptied: then `onGreeted` runs. Returns what is recalled. */
  async look(): Promise<readonly Recalled[]> {
    try {
      const recalled = await this.#quotaStore.look()
      if (this.ready) this.#heard()
      return recalled
    } catch (error) {
      this.#gone((error as Error).message)
      return []
    }
  }

  close(): void {
    // What is under way fails by this, and is nothing to tell.
    this.#away = true
    this.#quotaStore.close()
  }

  #heard(): void {
    if (!this.#away) return
    this.#away = false
    this.#log.info('the quota store is back')
    this.#onUp()
  }

  #gone(reason: string): void {
    if (this.#away) return
    this.#away = true
    const then = this.#failOpen ? 'requests are let through' : 'requests are refused'
    this.#log.warn({ reason }, `the quota store is away: ${then} once what is leased is used up`)
  }
}
