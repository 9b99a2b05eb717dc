/**
 * The accounts' side of the supervisor: opens the store, reserves the shared memory, writes counts down twice a second,
 * and makes threads look again when a command has changed something. Nothing is loaded at the start: memory and time
 * do not depend on how many accounts there are.
 */
import type { Logger } from 'pino'
import type { Clocks } from './clocks.ts'
import { ControlSocket } from './control.ts'
import { Flusher } from './flusher.ts'
import type { Leases } from './leases.ts'
import { reserve, type SharedAccounts, signal } from './shared.ts'
import { Store } from './store.ts'

/** Counts reach the store at most this late, so that a second is kept with room for a slow disk. */
const flushMs = 400

export type { SharedAccounts }

export interface AccountsOptions {
  readonly storeDir: string
  /** redis://… of a quota shared with other servers. */
  readonly quotaStore?: string | undefined
  /** What to do with requests when that can't be asked and nothing is leased. */
  readonly quotaFail?: 'open' | 'closed' | undefined
  readonly log: Logger
  /** For tests. */
  readonly clocks?: Clocks | undefined
}

export class AccountsHost {
  readonly shared: SharedAccounts
  readonly #store: Store
  readonly #log: Logger
  readonly #flusher: Flusher
  #leases: Leases | undefined
  readonly #signals: Int32Array
  #control: ControlSocket | undefined
  #timer: NodeJS.Timeout
  #generation: number
  #failing = false

  private constructor(options: AccountsOptions) {
    this.#store = new Store(options.storeDir)
    this.#log = options.log
    this.shared = reserve(options.storeDir, options.quotaStore !== undefined)
    this.#signals = new Int32Array(this.shared.signals)
    this.#flusher = new Flusher(this.shared, this.#store, options.clocks)
    this.#generation = this.#store.counter('generation')
    this.#timer = setTimeout(() => this.#tick(), flushMs)
  }

  /** Throws AccountsError if the store can't be opened. */
  static async open(options: AccountsOptions): Promise<AccountsHost> {
    const host = new AccountsHost(options)
    host.#control = await ControlSocket.open(options.storeDir, () => host.#lookAgain())
    if (options.quotaStore !== undefined) await host.#share(options.quotaStore, options)
    return host
  }

  /** The client of the quota store is loaded only where there is one: it would take a tenth of the start. */
  async #share(url: string, { quotaFail, log, clocks }: AccountsOptions): Promise<void> {
    const { Leases } = await import('./leases.ts')
    this.#leases = new Leases(this.shared, this.#store, { url, failOpen: quotaFail === 'open', log, clocks })
    await this.#leases.connect()
  }

  /** Writes the last counts down and gives leases back. The threads' gates must be closed, or at least count no more. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#control?.close()
    await this.#leases?.close()
    try {
      this.#flusher.flush()
    } catch (error) {
      this.#log.error({ err: error }, 'the last counts could not be written')
    }
    await this.#store.close()
  }

  #tick(): void {
    try {
      this.#flusher.flush()
      // A command on another machine's side of a shared folder can't reach the socket: it is found here.
      if (this.#store.counter('generation') !== this.#generation) this.#lookAgain()
      this.#failing = false
    } catch (error) {
      if (!this.#failing) this.#log.error({ err: error }, 'counts can not be written; trying again')
      this.#failing = true
    }
    this.#timer = setTimeout(() => this.#tick(), flushMs)
  }

  #lookAgain(): void {
    this.#store.refresh()
    this.#generation = this.#store.counter('generation')
    Atomics.add(this.#signals, signal.generation, 1)
    this.#leases?.lookAgain()
  }
}
