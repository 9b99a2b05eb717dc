/**
 * The accounts' side of the supervisor: opens the store, reserves the shared memory, writes counts down,
 * and makes threads look again when a command has changed something. Nothing is loaded at the start: memory and time
 * do not depend on how many accounts there are.
 */
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { answerMs, flushAgainMs, flushMs, sentStopMsMax } from '../limits.ts'
import type { Clocks } from '../quota/clocks.ts'
import { Flusher } from '../quota/flusher.ts'
import type { LeaseManager } from '../quota/leases/lease-manager.ts'
import { isLeased } from '../quota/leases/shared-state.ts'
import { AccountsError, Busy, StoreError } from '../store/accounts-error.ts'
import { refuseOldStore } from '../store/database.ts'
import { integrityOf } from '../store/integrity.ts'
import { Store } from '../store/store.ts'
import { Answering, claimStore, type Lock } from './control.ts'
import type { UsageSender } from './fleet/usage-sender.ts'
import { FreshnessLease } from './freshness-lease.ts'
import { LastUses } from './last-uses.ts'
import { createDemoAccount, type IssuedKey } from './registry.ts'
import type { Follower, ReplicationFigures } from './replication/follower.ts'
import { noReplication, type Replication } from './replication/replication.ts'
import { startRetention } from './retention.ts'
import { reserveAccounts, type SharedAccounts, tellThreads } from './shared.ts'
import { liveSince, type NewSignInLink, SignIns } from './sign-ins.ts'
import { AccountStatistics, type CountedByPlan } from './statistics.ts'

const notWritten = 'counts can not be written; trying again'
const unanswered = 'commands can not be answered; trying again'

export interface AccountsOptions {
  readonly storeDir: string
  readonly quotaStore?: string | undefined
  /** What to do with requests when that can't be asked and nothing is leased. */
  readonly quotaFail?: 'open' | 'closed' | undefined
  readonly accountsStore?: string | undefined
  /** Of this server, as others tell people of it; another one may be noted later. */
  readonly address?: string | undefined
  readonly log: Logger
  /** For tests. */
  readonly clocks?: Clocks | undefined
}

export class AccountsHost {
  readonly shared: SharedAccounts
  readonly #store: Store
  readonly #census: AccountStatistics
  readonly #log: Logger
  readonly flusher: Flusher
  /** Only with a quota shared with other servers. */
  leases: LeaseManager | undefined
  #feed: Replication
  /** Only with accounts shared with other servers. */
  #follower: Follower | undefined
  #retention: NodeJS.Timeout | undefined
  #sender: UsageSender | undefined
  #lock: Lock | undefined
  #answering: NodeJS.Timeout | undefined
  #timer: NodeJS.Timeout | undefined
  #generation = 0
  /** What fails, and has been told: empty when all is well. */
  readonly failing = new Set<string>()

  private constructor(options: AccountsOptions) {
    this.#store = new Store(options.storeDir)
    this.#feed = noReplication()
    this.#census = new AccountStatistics(this.#store)
    this.#log = options.log
    const isShared = options.accountsStore !== undefined
    this.shared = reserveAccounts(options.storeDir, options.quotaStore !== undefined, isShared)
    const lastUses = new LastUses(this.shared, this.#store)
    this.flusher = new Flusher(this.shared.quota, this.#store, options.clocks, lastUses)
  }

  /** Throws AccountsError if the store can't be opened, or another server has it; then nothing of it stays behind. */
  static async open(options: AccountsOptions): Promise<AccountsHost> {
    refuseOldStore(options.storeDir)
    const host = new AccountsHost(options)
    try {
      host.#lock = claimStore(host.#store)
      host.#checkIntegrity()
      host.#generation = host.#store.generation
      await host.#follow(options)
      await host.#share(options)
      host.#retention = startRetention(host.#store, host.#feed, host.#log)
      const answering = new Answering(host.#store, () => host.#confirm())
      host.#answering = setInterval(() => host.#try(unanswered, () => answering.look()), answerMs)
      host.#tick()
    } catch (error) {
      await host.#release()
      throw error
    }
    return host
  }

  #checkIntegrity(): void {
    const { dir } = this.#store
    const told = (damage: string) => `the store ${dir} is damaged: ${damage}; restore a backup`
    const damage = integrityOf(dir, (late) => this.#log.error(told(late)))
    if (damage !== undefined) throw new AccountsError(told(damage))
  }

  /** The client of the quota store is loaded only where there is one: it would take a tenth of the start. */
  async #share({ quotaStore, quotaFail, log, clocks }: AccountsOptions): Promise<void> {
    const { quota } = this.shared
    if (quotaStore === undefined || !isLeased(quota)) return
    const { LeaseManager } = await import('../quota/leases/lease-manager.ts')
    const options = { url: quotaStore, failOpen: quotaFail === 'open', log, clocks }
    this.leases = new LeaseManager(quota, this.#store, options)
    await this.leases.connect()
  }

  /** The same of the accounts' store, and what is no server's to do. Throws AccountsError. */
  async #follow({ accountsStore: url, storeDir, log, clocks, address = hostname() }: AccountsOptions): Promise<void> {
    if (url === undefined) {
      if (this.#store.setting('copyOf') === undefined) return
      throw new AccountsError(
        `the store ${storeDir} is a copy of accounts that servers share: set ACCOUNTS_STORE, or another STORE_DIR`,
      )
    }
    const [{ Follower }, { refuseOwnAccounts }, { SharedReplication }, { UsageSender }] = await Promise.all([
      import('./replication/follower.ts'),
      import('./replication/replica.ts'),
      import('./replication/shared-replication.ts'),
      import('./fleet/usage-sender.ts'),
    ])
    refuseOwnAccounts(this.#store)
    const trust = new FreshnessLease(this.shared.trusted!)
    const lookAgain = () => {
      if (this.#store.generation !== this.#generation) this.#lookAgain()
    }
    const follower = await Follower.start({ store: this.#store, url, log, trust, lookAgain, address })
    this.#follower = follower
    const isFollowed = () => !follower.figures.isRefused
    const { connection } = follower.shared
    this.#sender = new UsageSender(connection, this.#store, isFollowed, clocks)
    this.#feed = new SharedReplication(this.#store, follower.shared)
  }

  get replication(): ReplicationFigures | undefined {
    return this.#follower?.figures
  }

  noteAddress(address: string): void {
    if (this.#follower !== undefined) this.#follower.address = address
  }

  /** Notes where the pages are, so that commands can make links to them. */
  notePages(pages: string): void {
    this.#store.write(() => this.#store.setSetting('server', { pid: process.pid, pages }))
  }

  /** Its key is let in when this resolves. @see createDemoAccount */
  async createDemo(): Promise<IssuedKey | undefined> {
    const created = await createDemoAccount(this.#store, this.#feed)
    this.#lookAgain()
    return created
  }

  /** A sign-in link for an account; undefined if there is none of that name, or none can be made now. */
  async signInLink(accountName: string): Promise<NewSignInLink | undefined> {
    if (this.#store.accountNumber(accountName) === undefined) return undefined
    return ifAsked(new SignIns(this.#store, this.#feed).makeLink(accountName, Date.now()))
  }

  /** Resolves when `byPlan` is as the store has it now, or nearly so: see statistics.ts. */
  async countByPlan(): Promise<void> {
    const failure = 'accounts could not be counted by plan; trying again'
    try {
      await this.#census.refresh()
      this.failing.delete(failure)
    } catch (error) {
      this.#fail(failure, error)
    }
  }

  /** When `card-prices accounts backup` last wrote a copy of the store, in ms since 1970; undefined if it never did. */
  get backedUpAt(): number | undefined {
    return this.#store.setting('backedUpAt')
  }

  /** How many accounts and keys there are on each plan, as counted last; undefined as long as nobody asked for a count. */
  get byPlan(): CountedByPlan | undefined {
    return this.#census.counted
  }

  /** Sessions on the pages, of all servers that share the accounts. */
  get sessions(): number {
    return this.#store.countSessions(...liveSince(Date.now()))
  }

  /** Writes the last counts down and gives leases back. The threads' gates must be closed, or at least count no more. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    try {
      this.flusher.flush()
    } catch (error) {
      this.#log.error({ err: error }, 'the last counts could not be written')
    }
    await this.#sender?.close(sentStopMsMax)
    await this.#release()
  }

  async #release(): Promise<void> {
    clearInterval(this.#answering)
    await this.#census.end()
    clearInterval(this.#retention)
    await this.leases?.close()
    await this.#follower?.close()
    await this.#store.close()
    this.#lock?.close()
  }

  #tick(): void {
    const isWritten = this.#try(notWritten, () => {
      this.flusher.flush()
      if (this.#store.generation !== this.#generation) this.#lookAgain()
    })
    this.#timer = setTimeout(() => this.#tick(), isWritten ? flushMs : flushAgainMs)
    this.#sender?.send()
  }

  /** Whether the threads use nothing any more that they knew before, and whether the store has all that was counted. */
  #confirm(): boolean | undefined {
    const isWritten = this.#try(notWritten, () => this.flusher.flush())
    const isKnown = this.#try('a change of accounts could not be read; trying again', () => this.#lookAgain())
    return isKnown ? isWritten : undefined
  }

  #lookAgain(): void {
    const { generation } = this.#store
    tellThreads(this.shared)
    this.leases?.lookAgain()
    this.#generation = generation
  }

  /** Returns whether it was done; what fails is logged once, until it is done again. */
  #try(failure: string, action: () => void): boolean {
    try {
      action()
      this.failing.delete(failure)
      return true
    } catch (error) {
      this.#fail(failure, error)
      return false
    }
  }

  #fail(failure: string, error: unknown): void {
    // A long change of another process: it is tried again in a moment.
    if (error instanceof Busy) return
    if (!this.failing.has(failure)) this.#log.error({ err: error }, failure)
    this.failing.add(failure)
  }
}

/** Undefined if the accounts' store can't be asked now. */
async function ifAsked<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof StoreError) return undefined
    throw error
  }
}
