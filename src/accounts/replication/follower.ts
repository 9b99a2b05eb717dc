/**
 * Keeps a server's copy of the accounts up to date: asks the database for changes four times a second. Each question is
 * also the server's heartbeat, and confirms the changes that are in the copy.
 *
 *   every 250 ms: heartbeat "this server is at 7" ─▶ answer
 *                                                    ├ same: the copy is up to date
 *                                                    ├ behind, incomplete ─▶ rows ─▶ copy ─▶ threads forget keys
 *                                                    │                       ─▶ the next heartbeat confirms the changes
 *                                                    └ other, older, diverged, empty: rejected; the copy stays
 *
 * The connection holds an advisory lock, which shows other processes that this server lives. While the database is
 * unavailable or rejected, keys are checked against the copy. If there is no copy, or if another server has this
 * server's id because STORE_DIR was copied, requests get 503.
 */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { rejectionLogMs } from '../../limits.ts'
import { queryMsMax, reconnectMs } from '../../postgres/bounds.ts'
import type { DatabasePresence } from '../../postgres/presence.ts'
import { AccountsError, Busy } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import { flushWaitMsMax } from '../flusher.ts'
import type { FreshnessLease } from '../shared.ts'
import { Duplicate, enter, leave, transactionPooler } from './presence-lock.ts'
import { duplicateRejection, rejectionOf } from './rejections.ts'
import { Replica } from './replica.ts'
import type { SharedStore, SyncResult } from './shared-store.ts'
import { replicationGapMsMax, replicationPollMs } from './timing.ts'

/**
 * A database that has not answered for this long counts as unavailable. The time is long enough to try a new
 * connection, which this process needs after it was frozen.
 */
const awayMs = reconnectMs + 2 * queryMsMax

export interface FollowerOptions {
  readonly store: Store
  readonly shared: SharedStore
  readonly presence: DatabasePresence
  readonly log: Logger
  readonly freshness: FreshnessLease
  /** Makes threads forget their keys, if accounts have changed since threads last forgot their keys. */
  readonly invalidateThreads: () => void
  readonly address: string
  /** The version of the data that this server serves. */
  readonly servedVersion?: (() => string | undefined) | undefined
}

export interface ReplicationFigures {
  readonly isUp: boolean
  /** Changes that the copy lacks, as of the last answer. */
  readonly behind: number
  readonly isRejected: boolean
}

export class Follower {
  readonly #shared: SharedStore
  readonly #replica: Replica
  readonly #options: FollowerOptions
  readonly #serverId: string
  readonly #process = randomUUID()
  #timer: NodeJS.Timeout | undefined
  address: string
  /** True if this connection holds the server's lock. */
  #hasEntered = false
  #syncing: Promise<void> | undefined
  #isClosing = false
  /** Since when (by the monotonic clock) changes may have been missed; undefined if no change was missed. */
  #gapSince: number | undefined
  #gaps = 0
  /** Infinite until the first attempt to copy has ended, because a long first copy is no gap. */
  #lastTickAt = Number.POSITIVE_INFINITY
  #isDuplicate = false
  /** Why the database is rejected, and when that was last logged. */
  #rejection: string | undefined
  #rejectionLoggedAt = 0
  #databaseNumber = 0

  private constructor(options: FollowerOptions) {
    const { store, shared } = options
    this.#options = options
    this.#shared = shared
    this.address = options.address
    this.#replica = new Replica(store)
    this.#serverId = store.serverId()
    shared.connection.listen({
      onBack: () => {
        this.#hasEntered = false
        this.#sync()
      },
      onAway: (reason) => this.#noteAway(reason),
    })
    // At the start, the database counts as unavailable after one failed attempt.
    this.#gapSince = performance.now() - awayMs
  }

  /**
   * Resolves when the copy is up to date, or when the database is unavailable. In both cases the follower keeps asking.
   */
  static async start(options: FollowerOptions): Promise<Follower> {
    const follower = new Follower(options)
    await options.shared.connection.connect()
    await follower.#sync()
    follower.#lastTickAt = performance.now()
    follower.#timer = setInterval(() => follower.#tick(), replicationPollMs)
    follower.#extendFreshness()
    return follower
  }

  get figures(): ReplicationFigures {
    const behind = Math.max(this.#databaseNumber - (this.#replica.state?.number ?? 0), 0)
    const isRejected = this.#rejection !== undefined
    return { isUp: this.#options.presence.isUp, behind: isRejected ? 0 : behind, isRejected }
  }

  /** True if the database has the accounts of this copy, as of the last answer. */
  get isFollowing(): boolean {
    return this.#rejection === undefined && this.#replica.state?.whole === true
  }

  /** Signs the server off, so that no change waits for its confirmation. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#isClosing = true
    await this.#syncing
    // If this fails, the released lock shows that this server has left.
    await leave(this.#shared.connection, this.#serverId, this.#process).catch(() => undefined)
    this.#shared.connection.close()
  }

  #tick(): void {
    const now = this.#checkForGap()
    this.#extendFreshness()
    this.#logRejection(now)
    this.#sync()
  }

  /**
   * Notes a gap if this process was frozen. A process that was frozen may read an old answer before its timers run, so
   * each answer calls this, too. Returns the time.
   */
  #checkForGap(): number {
    const now = performance.now()
    if (now - this.#lastTickAt > replicationGapMsMax) {
      this.#gaps++
      this.#gapSince = now
      this.#options.log.warn('this server was frozen for a while: it answers 503 until its accounts are up to date')
    }
    this.#lastTickAt = now
    return now
  }

  #extendFreshness(): void {
    if (this.#gapSince === undefined && !this.#isDuplicate && this.#replica.hasData) {
      this.#options.freshness.extend(replicationGapMsMax)
    }
  }

  /** Starts to sync, or returns the promise of the sync that is running. */
  #sync(): Promise<void> {
    this.#syncing ??= this.#syncNow().finally(() => {
      this.#syncing = undefined
    })
    return this.#syncing
  }

  async #syncNow(): Promise<void> {
    if (this.#isClosing) return
    const gaps = this.#gaps
    const { invalidateThreads, log } = this.#options
    const { connection } = this.#shared
    try {
      if (!this.#hasEntered) await enter(connection, this.#serverId, this.#process, this.address)
      this.#hasEntered = true
      const result = await this.#replica.catchUp(this.#shared, {
        copiesAll: () => true,
        waitMsMax: flushWaitMsMax,
        heartbeat: () => {
          // The heartbeat confirms the copy's changes, so threads must know them.
          invalidateThreads()
          const version = this.#options.servedVersion?.()
          const { address } = this
          return { id: this.#serverId, process: this.#process, address, version, ...this.#replica.nextNumbers }
        },
        onResult: ({ number, pid, state }) => {
          this.#databaseNumber = number ?? this.#databaseNumber
          if (state === 'unknown') connection.drop('it does not know this server')
          else if (pid !== connection.pid) connection.drop(transactionPooler)
        },
        onChanged: invalidateThreads,
      })
      if (result.state === 'unknown') return
      this.#noteAnswer(result)
    } catch (error) {
      // Another process is writing; the next tick tries again.
      if (error instanceof Busy) return
      if (error instanceof Duplicate) this.#noteDuplicate()
      else {
        if (!(error instanceof AccountsError)) log.error({ err: error }, 'accounts could not be copied')
        this.#noteAway((error as Error).message)
      }
      if (this.#gapSince !== undefined && performance.now() - this.#gapSince < awayMs) return
    }
    // If a call was made before a freeze, its answer says nothing about changes during the freeze.
    this.#checkForGap()
    if (gaps === this.#gaps) this.#gapSince = undefined
    this.#extendFreshness()
  }

  #noteAnswer({ state, number }: SyncResult): void {
    this.#options.presence.works('accounts')
    this.#isDuplicate = false
    const isFollowed = state === 'same' || state === 'unknown'
    this.#reject(isFollowed ? undefined : rejectionOf(state, number, this.#replica.state))
  }

  #noteDuplicate(): void {
    this.#isDuplicate = true
    this.#options.freshness.withdraw()
    this.#reject(duplicateRejection)
  }

  #reject(rejection: string | undefined): void {
    if (rejection !== this.#rejection) this.#rejectionLoggedAt = Number.NEGATIVE_INFINITY
    if (rejection === undefined && this.#rejection !== undefined)
      this.#options.log.info('the database is accepted again')
    this.#rejection = rejection
    this.#logRejection(performance.now())
  }

  #logRejection(now: number): void {
    if (this.#rejection === undefined || now - this.#rejectionLoggedAt < rejectionLogMs) return
    this.#rejectionLoggedAt = now
    const isServing = !this.#isDuplicate && this.#replica.hasData
    const effect = isServing ? 'keys are checked against the copy' : 'requests get 503'
    const { place } = this.#shared.connection
    this.#options.log.error(`the database at ${place} ${this.#rejection}; until then ${effect}`)
  }

  #noteAway(reason: string): void {
    this.#options.presence.fails('accounts', reason)
  }
}
