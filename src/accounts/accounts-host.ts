/**
 * The accounts in the supervisor: opens the store, reserves the shared memory, writes counts, answers commands, and
 * runs replication, leases and retention. It loads no accounts, so memory does not depend on how many accounts exist.
 * A start only checks the store's file, in about 2 ms for each MB.
 */
import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { FileLock } from '../platform/file-lock.ts'
import type { LeaseManager } from '../quota/leases/lease-manager.ts'
import { isLeased } from '../quota/leases/shared-state.ts'
import type { Clocks } from '../quota/quota.ts'
import { AccountsError, Busy, errorFields, StoreError } from '../store/accounts-error.ts'
import { Store } from '../store/store.ts'
import type { CountsByPlan, ServerRecord } from '../store/store-records.ts'
import { claimStore, notificationPoll, notificationPollMs } from './control.ts'
import type { UsageSender } from './fleet/usage-sender.ts'
import { Flusher } from './flusher.ts'
import { createDemoAccount, type IssuedKey } from './registry.ts'
import type { Follower, ReplicationFigures } from './replication/follower.ts'
import { noReplication, type Replication } from './replication/replication.ts'
import { startRetention } from './retention.ts'
import { FreshnessLease, invalidateThreads, reserveAccounts, type SharedAccounts } from './shared.ts'
import { liveSince, type NewLink, type NewSignInLink, OperatorSignIns, SignIns } from './sign-ins.ts'

/** How often counts are written to the store. */
const flushMs = 400
/** How soon a failed write is retried. */
const flushAgainMs = 50

assert(2 * flushMs < 1000, 'as long as a flush succeeds within flushMs, a kill loses counts of at most a second')
/** How long a stopping server waits until the database has its last counts. */
const sentStopMsMax = 500

const countsFailure = 'counts could not be written; retrying'
/** The pause between two counts of accounts by plan, as a multiple of the time that the last count took. */
const restFactor = 20

export interface AccountsOptions {
  readonly storeDir: string
  readonly databaseUrl?: string | undefined
  /** `open`: requests are allowed while nothing is leased and the database is unavailable. */
  readonly quotaFail?: 'open' | 'closed' | undefined
  /** This server's address, which other servers and commands show; `noteAddress` replaces it. */
  readonly address?: string | undefined
  readonly log: Logger
  /** The version of the data that this server serves. */
  readonly servedVersion?: () => string | undefined
  /** The clocks, which tests replace. */
  readonly clocks?: Clocks | undefined
}

export class AccountsHost {
  readonly shared: SharedAccounts
  readonly #store: Store
  readonly #log: Logger
  readonly flusher: Flusher
  /** Undefined without DATABASE_URL. */
  leases: LeaseManager | undefined
  #replication: Replication
  /** Undefined without DATABASE_URL. */
  #follower: Follower | undefined
  #retention: NodeJS.Timeout | undefined
  #sender: UsageSender | undefined
  #lock: FileLock | undefined
  #commandTimer: NodeJS.Timeout | undefined
  #timer: NodeJS.Timeout | undefined
  #generation = 0
  #byPlan: CountsByPlan | undefined
  /** When `#byPlan` may be counted again, by performance.now(). */
  #countAgainAt = 0
  /** Current failures, each logged once; empty when all is well. */
  readonly #failures = new Set<string>()

  private constructor(options: AccountsOptions) {
    this.#store = new Store(options.storeDir)
    this.#replication = noReplication()
    this.#log = options.log
    this.shared = reserveAccounts(options.storeDir, options.databaseUrl !== undefined)
    this.flusher = new Flusher(this.shared.quota, this.#store, options.clocks, this.shared.lastUsed)
  }

  /** Throws AccountsError if the store can't be opened or another server uses it; then everything is closed again. */
  static async open(options: AccountsOptions): Promise<AccountsHost> {
    const host = new AccountsHost(options)
    try {
      host.#lock = claimStore(host.#store)
      // The check reads the whole file, which takes about 2 ms for each MB.
      const damage = host.#store.database.damage('quick_check')
      if (damage !== undefined) {
        throw new AccountsError(`the store ${options.storeDir} is damaged: ${damage}; restore a backup`)
      }
      host.#generation = host.#store.generation
      await host.#share(options)
      host.#retention = startRetention(host.#store, host.#replication, host.#log)
      const poll = notificationPoll(host.#store, () => host.#onNotified())
      const answer = () => host.#try('commands could not be answered; retrying', poll)
      host.#commandTimer = setInterval(answer, notificationPollMs)
      host.#tick()
    } catch (error) {
      await host.#release()
      throw error
    }
    return host
  }

  /**
   * Shares accounts and quotas with other servers. The client of PostgreSQL is loaded only then. Throws AccountsError if
   * STORE_DIR does not fit the database, or if servers must not use this database.
   */
  async #share(options: AccountsOptions): Promise<void> {
    const { databaseUrl: url, storeDir, address = hostname(), clocks, quotaFail, log, servedVersion } = options
    const store = this.#store
    const { quota, freshness } = this.shared
    if (url === undefined || !isLeased(quota)) {
      if (!store.isCopy) return
      throw new AccountsError(
        `the store ${storeDir} is a copy of shared accounts: set DATABASE_URL, or another STORE_DIR`,
      )
    }
    const sharing = await import('./replication/sharing.ts')
    const failOpen = quotaFail === 'open'
    const { presence, shared, quotaConnection } = await sharing.openDatabase(store, url, failOpen, log)
    this.#follower = await sharing.Follower.start({
      store,
      shared,
      presence,
      log,
      freshness: new FreshnessLease(freshness!),
      invalidateThreads: () => this.#invalidateIfChanged(),
      address,
      servedVersion,
    })
    const follower = this.#follower
    this.#sender = new sharing.UsageSender({
      connection: shared.connection,
      store,
      isFollowing: () => follower.isFollowing,
      clock: clocks?.wall,
      onIdle: () => presence.works('usage'),
      onFailed: (reason) => presence.fails('usage', reason),
    })
    this.#replication = new sharing.SharedReplication(store, shared)
    this.leases = new sharing.LeaseManager(quota, store, { connection: quotaConnection, presence, failOpen, clocks })
    await this.leases.connect()
  }

  get replication(): ReplicationFigures | undefined {
    return this.#follower?.figures
  }

  /**
   * Writes the server's address into the store, for commands and other servers.
   * @param address http://HOST:PORT
   */
  noteAddress(address: string, port: number): void {
    this.#note({ address })
    if (this.#follower !== undefined) this.#follower.address = `${hostname()}:${port}`
  }

  /** Stores the address of the pages, for links that commands print. */
  notePages(pages: string, hasOperatorPages = false): void {
    this.#note(hasOperatorPages ? { pages, hasOperatorPages } : { pages })
  }

  #note(addresses: Omit<ServerRecord, 'pid'>): void {
    const store = this.#store
    try {
      store.write(() => store.setSetting('server', { ...store.setting('server'), pid: process.pid, ...addresses }))
    } catch (error) {
      this.#log.warn({ err: error }, 'commands do not know the addresses of this server')
    }
  }

  /** Creates the demo account. Threads accept the account's key when this resolves. @see createDemoAccount */
  async createDemo(): Promise<IssuedKey | undefined> {
    const created = await createDemoAccount(this.#store, this.#replication)
    this.#invalidate()
    return created
  }

  /**
   * Warns if the store has no accounts, because STORE_DIR may be mistyped. With DATABASE_URL there is no warning: the
   * store fills itself, and the follower logs what is wrong.
   */
  warnIfEmpty(): void {
    if (this.#follower !== undefined) return
    for (const { deletedAt } of this.#store.allAccounts()) if (deletedAt === null) return
    this.#log.warn(`no accounts in ${resolve(this.#store.dir)}: every key gets 401`)
  }

  hasAccount(name: string): boolean {
    return this.#store.accountNumber(name) !== undefined
  }

  /** Creates a link. Returns undefined if there is no such account, or if the database is unavailable. */
  signInLink(accountName: string): Promise<NewSignInLink | undefined> {
    if (this.#store.accountNumber(accountName) === undefined) return Promise.resolve(undefined)
    return unlessAway(new SignIns(this.#store, this.#replication).makeLink(accountName, Date.now()))
  }

  /** Creates a link for the operator. Returns undefined if the database is unavailable. */
  operatorLink(): Promise<NewLink | undefined> {
    return unlessAway(new OperatorSignIns(this.#store, this.#replication).makeLink(Date.now()))
  }

  /** Counts a server thread that never answers. The count is stored, because the caller then ends this process. */
  noteHungThread(): void {
    this.#try('the store does not count that a thread hung', () => {
      this.#store.write(() => this.#store.setSetting('hungThreads', this.hungThreads + 1))
    })
  }

  /** How many threads have hung, in all processes of the store. */
  get hungThreads(): number {
    return this.#store.setting('hungThreads') ?? 0
  }

  /** The time of the last `card-prices accounts backup`, in ms since 1970. */
  get backedUpAt(): number | undefined {
    return this.#store.setting('backedUpAt')
  }

  /** Accounts and live keys on each plan; undefined if the store could never be read. */
  get byPlan(): CountsByPlan | undefined {
    const from = performance.now()
    if (from < this.#countAgainAt) return this.#byPlan
    this.#try('accounts could not be counted by plan; retrying', () => {
      this.#byPlan = this.#store.countByPlan(Date.now())
    })
    this.#countAgainAt = from + restFactor * (performance.now() - from)
    return this.#byPlan
  }

  /** Live sessions on the pages, of all servers that share the accounts. */
  get sessions(): number {
    return this.#store.countSessions(...liveSince(Date.now()))
  }

  /** Writes the last counts and releases leases. The threads must have stopped counting. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    try {
      this.flusher.flush()
    } catch (error) {
      this.#log.error(errorFields(error), 'the last counts could not be written')
    }
    await this.#sender?.close(sentStopMsMax)
    await this.#release()
  }

  async #release(): Promise<void> {
    clearInterval(this.#commandTimer)
    clearInterval(this.#retention)
    await this.leases?.close()
    await this.#follower?.close()
    await this.#store.close()
    this.#lock?.close()
  }

  #tick(): void {
    const isWritten = this.#try(countsFailure, () => {
      this.flusher.flush()
      this.#invalidateIfChanged()
    })
    this.#timer = setTimeout(() => this.#tick(), isWritten ? flushMs : flushAgainMs)
    this.#sender?.send()
  }

  /** Returns whether the store has all counts, or undefined if threads may still remember old keys. */
  #onNotified(): boolean | undefined {
    const isWritten = this.#try(countsFailure, () => this.flusher.flush())
    const isInvalidated = this.#try('a change of accounts could not be read; retrying', () => this.#invalidate())
    return isInvalidated ? isWritten : undefined
  }

  #invalidateIfChanged(): void {
    if (this.#store.generation !== this.#generation) this.#invalidate()
  }

  #invalidate(): void {
    const { generation } = this.#store
    invalidateThreads(this.shared)
    this.leases?.checkPlans()
    this.#generation = generation
  }

  /** Returns whether `action` succeeded. A failure is logged once, and again only after a success. */
  #try(failure: string, action: () => void): boolean {
    try {
      action()
      this.#failures.delete(failure)
      return true
    } catch (error) {
      // Another process is writing; the next try is a moment later.
      if (error instanceof Busy) return false
      if (!this.#failures.has(failure)) this.#log.error(errorFields(error), failure)
      this.#failures.add(failure)
      return false
    }
  }
}

/** Resolves as the promise does, or to undefined if the promise rejects because the database is unavailable. */
async function unlessAway<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof StoreError) return undefined
    throw error
  }
}
