/**
 * Keeps a server's replica up to date: asks the accounts' store for changes four times a second. Each call is also the
 * server's heartbeat, and confirms the changes that the replica has.
 *
 *   every 250 ms: heartbeat "this server is at 7" ─▶ answer
 *                                                    ├ same: the replica is up to date
 *                                                    ├ changes, snapshot ─▶ replica ─▶ threads forget keys
 *                                                    │                      ─▶ the next heartbeat confirms the changes
 *                                                    └ other, older, diverged, empty: rejected; the replica stays
 *
 * While the store is away or rejected, keys are checked against the replica. If there is no replica, or if another
 * server has this server's id because STORE_DIR was copied, requests get 503.
 */

import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { rejectionLogMs } from '../../limits.ts'
import { Absence } from '../../log/absence.ts'
import { AccountsError, Busy } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import { flushWaitMsMax } from '../flusher.ts'
import type { FreshnessLease } from '../shared.ts'
import { rejectionOf } from './rejections.ts'
import { Replica } from './replica.ts'
import { connectionNameOf, ReplicationConnection } from './replication-connection.ts'
import { SharedStore, type SyncResult } from './shared-store.ts'
import { replicationCommandMsMax, replicationGapMsMax, replicationPollMs, replicationReconnectMs } from './timing.ts'

/**
 * A store that has not answered for this long counts as away. The time is long enough to try a new connection, which
 * this process needs after it was frozen.
 */
const awayMs = replicationReconnectMs + 2 * replicationCommandMsMax

export interface FollowerOptions {
  readonly store: Store
  readonly url: string
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
  /** Changes that the replica lacks, as of the last answer. */
  readonly behind: number
  readonly isRejected: boolean
}

export class Follower {
  readonly shared: SharedStore
  readonly #replica: Replica
  readonly #options: FollowerOptions
  readonly #serverId: string
  readonly #process = randomUUID()
  #timer: NodeJS.Timeout | undefined
  address: string
  #isFirst = true
  #syncing: Promise<void> | undefined
  #isClosing = false
  /** Since when (by the monotonic clock) changes may have been missed; undefined if none were. */
  #gapSince: number | undefined
  #gaps = 0
  /** Infinite until the first replica is loaded: loading may take long, and is no gap. */
  #lastTickAt = Number.POSITIVE_INFINITY
  #isDuplicate = false
  /** Why the store is rejected, and when that was last logged. */
  #rejection: string | undefined
  #rejectionLoggedAt = 0
  readonly #absence = new Absence()
  #storeNumber = 0

  private constructor(options: FollowerOptions) {
    const { store, url } = options
    this.#options = options
    this.address = options.address
    this.#replica = new Replica(store)
    this.#serverId = store.serverId()
    const connection = new ReplicationConnection(url, connectionNameOf(this.#serverId))
    this.shared = new SharedStore(connection)
    connection.listen({
      onBack: () => {
        this.#isFirst = true
        this.#sync()
      },
      onAway: (reason) => this.#noteAway(reason),
    })
    // At the start, the store counts as away after one failed attempt.
    this.#gapSince = performance.now() - awayMs
  }

  /** Resolves when the replica is up to date, or when the store can't be asked. Then the follower keeps trying. */
  static async start(options: FollowerOptions): Promise<Follower> {
    const follower = new Follower(options)
    await follower.shared.connection.connect()
    await follower.#sync()
    follower.#lastTickAt = performance.now()
    follower.#timer = setInterval(() => follower.#tick(), replicationPollMs)
    follower.#extendFreshness()
    return follower
  }

  get figures(): ReplicationFigures {
    const isUp = !this.#absence.isAway && this.shared.connection.runId !== undefined
    const behind = Math.max(this.#storeNumber - (this.#replica.state?.number ?? 0), 0)
    return { isUp, behind: this.#rejection === undefined ? behind : 0, isRejected: this.#rejection !== undefined }
  }

  /** Signs the server off: nobody waits for it any more. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#isClosing = true
    await this.#syncing
    const server = { serverId: this.#serverId, process: this.#process, isFirst: false, address: this.address }
    // If this call fails, other servers see from the closed connection that this server has left.
    await this.shared.sync(undefined, this.#replica.nextNumbers, { ...server, leaves: true }).catch(() => undefined)
    this.shared.connection.close()
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

  /** One call runs at a time. */
  #sync(): Promise<void> {
    this.#syncing ??= this.#syncNow().finally(() => {
      this.#syncing = undefined
    })
    return this.#syncing
  }

  async #syncNow(): Promise<void> {
    if (this.#isDuplicate || this.#isClosing) return
    const gaps = this.#gaps
    const { invalidateThreads, log } = this.#options
    try {
      const result = await this.#replica.catchUp(this.shared, {
        loadsSnapshots: () => true,
        waitMsMax: flushWaitMsMax,
        heartbeat: () => {
          // The heartbeat confirms the replica's changes, so threads must know them.
          invalidateThreads()
          const { address } = this
          const version = this.#options.servedVersion?.()
          return { serverId: this.#serverId, process: this.#process, isFirst: this.#isFirst, address, version }
        },
        onResult: ({ number }) => {
          this.#isFirst = false
          this.#storeNumber = number ?? this.#storeNumber
        },
        onChanged: invalidateThreads,
      })
      this.#noteAnswer(result)
    } catch (error) {
      // Another process is writing; the next tick tries again.
      if (error instanceof Busy) return
      if (!(error instanceof AccountsError)) log.error({ err: error }, 'accounts could not be replicated')
      this.#noteAway((error as Error).message)
      if (this.#gapSince !== undefined && performance.now() - this.#gapSince < awayMs) return
    }
    // If a call was made before a freeze, its answer says nothing about changes during the freeze.
    this.#checkForGap()
    if (gaps === this.#gaps) this.#gapSince = undefined
    this.#extendFreshness()
  }

  #noteAnswer(result: SyncResult): void {
    const { log, freshness } = this.#options
    this.#absence.end(() => log.info("the accounts' store is back"))
    if (result.state === 'duplicate') {
      this.#isDuplicate = true
      freshness.withdraw()
    }
    const rejection = result.state === 'same' ? undefined : rejectionOf(result, this.#replica.state)
    if (rejection !== this.#rejection) this.#rejectionLoggedAt = Number.NEGATIVE_INFINITY
    if (rejection === undefined && this.#rejection !== undefined) log.info("the accounts' store is accepted again")
    this.#rejection = rejection
    this.#logRejection(performance.now())
  }

  #logRejection(now: number): void {
    if (this.#rejection === undefined || now - this.#rejectionLoggedAt < rejectionLogMs) return
    this.#rejectionLoggedAt = now
    const isServing = !this.#isDuplicate && this.#replica.hasData
    const effect = isServing ? 'keys are checked against the replica' : 'requests get 503'
    this.#options.log.error(
      `the accounts' store at ${this.shared.connection.place} ${this.#rejection}; until then ${effect}`,
    )
  }

  #noteAway(reason: string): void {
    const effect = this.#replica.hasData
      ? 'keys are checked against the replica'
      : 'requests get 503, because there is no replica yet'
    this.#absence.begin(() =>
      this.#options.log.warn({ reason }, `the accounts' store is away: ${effect}, and changes are refused`),
    )
  }
}
