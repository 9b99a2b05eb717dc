/**
 * The supervisor's side of accounts that servers share: brings the copy to where the store is, within a moment of each
 * change and four times a second, and tells by the same question that this server lives, and what it has.
 *
 *   published ─┐                                  ┌ changes ─▶ copy ─▶ threads look again ─▶ told with the next question
 *   250 ms ────┴▶ question: here I am, at 7 ─▶ answer: same, copy everything
 *                                                 └ another store, an older one, none: refused, the copy goes on
 *
 * While the store is away, or refused, keys are checked against the copy.
 */
import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import {
  flushWaitMsMax,
  refusalToldMs,
  replicationAskMs,
  replicationCommandMsMax,
  replicationGapMsMax,
  replicationReconnectMs,
} from '../../limits.ts'
import { redisAt } from '../../redis.ts'
import { AccountsError, Busy } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import type { FreshnessLease } from '../freshness-lease.ts'
import { connectionNameOf, ReplicationConnection } from './connection.ts'
import { refusalOf } from './refusals.ts'
import { Replica } from './replica.ts'
import { changedChannel } from './scripts.ts'
import { type Lack, SharedStore } from './shared-store.ts'

/** After a gap, a store that did not answer for so long is away: what is there was tried anew. */
const awayMs = replicationReconnectMs + 2 * replicationCommandMsMax

export interface FollowerOptions {
  readonly store: Store
  readonly url: string
  readonly log: Logger
  readonly trust: FreshnessLease
  /** Has threads look again, if they have not since the store was changed. */
  readonly lookAgain: () => void
  readonly address: string
}

export interface ReplicationFigures {
  readonly isUp: boolean
  /** Changes that the store has and the copy has not, as heard last. */
  readonly behind: number
  readonly isRefused: boolean
}

export class Follower {
  readonly shared: SharedStore
  readonly #copy: Replica
  readonly #options: FollowerOptions
  readonly #serverId: string
  /** Of its own for every start: by it two servers with one id are told apart. */
  readonly #process = randomUUID()
  readonly #subscriber: Redis
  #timer: NodeJS.Timeout | undefined
  address: string
  #isFirst = true
  #asking: Promise<void> | undefined
  #isAskedAgain = false
  /** Since when (by the steady clock) what was missed is not known; undefined when it is. */
  #gapSince: number | undefined
  #gaps = 0
  /** A first copy may take long, and nobody is let in before it. */
  #lookedAt = Number.POSITIVE_INFINITY
  #isSupplanted = false
  /** What is refused, and when that was told last. */
  #refusal: string | undefined
  #refusalToldAt = 0
  #isAway = false
  #storeNumber = 0

  private constructor(options: FollowerOptions) {
    const { store, url } = options
    this.#options = options
    this.address = options.address
    this.#copy = new Replica(store)
    this.#serverId = store.serverId()
    const connection = new ReplicationConnection(url, connectionNameOf(this.#serverId))
    this.shared = new SharedStore(connection)
    connection.listen({
      onBack: () => {
        this.#isFirst = true
        this.#ask()
      },
      onAway: (reason) => this.#gone(reason),
    })
    this.#subscriber = redisAt(url, { commandMsMax: replicationCommandMsMax, reconnectMs: replicationReconnectMs })
    // What is wrong the other connection tells.
    this.#subscriber.on('error', () => undefined)
    this.#subscriber.on('ready', () => this.#subscriber.subscribe(changedChannel).catch(() => undefined))
    this.#subscriber.on('message', () => this.#ask())
    // At a start, a store that is away is known to be at the first attempt.
    this.#gapSince = performance.now() - awayMs
  }

  /** Resolves when the copy is as the store, or when the store can't be asked now: then it goes on trying. */
  static async start(options: FollowerOptions): Promise<Follower> {
    const follower = new Follower(options)
    await follower.shared.connection.connect()
    await follower.#ask()
    follower.#subscriber.connect().catch(() => undefined)
    follower.#lookedAt = performance.now()
    follower.#timer = setInterval(() => follower.#tick(), replicationAskMs)
    follower.#extend()
    return follower
  }

  get figures(): ReplicationFigures {
    const isUp = !this.#isAway && this.shared.connection.run !== undefined
    const behind = Math.max(this.#storeNumber - (this.#copy.at?.number ?? 0), 0)
    return { isUp, behind: this.#refusal === undefined ? behind : 0, isRefused: this.#refusal !== undefined }
  }

  /** Takes its leave: nobody waits for this server any more. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#asking
    const who = { serverId: this.#serverId, process: this.#process }
    // A store that is away finds out by itself.
    await this.shared.leave(who).catch(() => undefined)
    this.#subscriber.disconnect()
    this.shared.connection.close()
  }

  #tick(): void {
    const now = this.#lookForGap()
    this.#extend()
    this.#tellRefusal(now)
    this.#ask()
  }

  /** A server that thaws may hear an answer from before it was frozen ahead of its own timers. Returns the time. */
  #lookForGap(): number {
    const now = performance.now()
    if (now - this.#lookedAt > replicationGapMsMax) {
      this.#gaps++
      this.#gapSince = now
      this.#options.log.warn('this server was frozen for a while: it asks what has changed, and lets callers in then')
    }
    this.#lookedAt = now
    return now
  }

  #extend(): void {
    if (this.#gapSince === undefined && !this.#isSupplanted && this.#copy.isThere) {
      this.#options.trust.extend(replicationGapMsMax)
    }
  }

  /** One question at a time; who asks meanwhile has another one asked. */
  #ask(): Promise<void> {
    if (this.#asking !== undefined) this.#isAskedAgain = true
    this.#asking ??= this.#askNow().finally(() => {
      this.#asking = undefined
      if (this.#isAskedAgain) this.#ask()
    })
    return this.#asking
  }

  async #askNow(): Promise<void> {
    this.#isAskedAgain = false
    if (this.#isSupplanted) return
    const gaps = this.#gaps
    try {
      const lack = await this.#copy.catchUp(this.shared, {
        copies: () => true,
        waitMsMax: flushWaitMsMax,
        asking: () => {
          this.#options.lookAgain()
          const { address } = this
          return { serverId: this.#serverId, process: this.#process, isFirst: this.#isFirst, address }
        },
        onTold: (told) => {
          this.#isFirst = false
          this.#storeNumber = told.number ?? this.#storeNumber
        },
        onChanged: this.#options.lookAgain,
      })
      this.#heard(lack)
    } catch (error) {
      // It is asked again in a moment.
      if (error instanceof Busy) return
      if (!(error instanceof AccountsError)) this.#options.log.error({ err: error }, 'accounts could not be copied')
      this.#gone((error as Error).message)
      if (this.#gapSince !== undefined && performance.now() - this.#gapSince < awayMs) return
    }
    // What was asked before the gap says nothing of it.
    this.#lookForGap()
    if (gaps === this.#gaps) this.#gapSince = undefined
    this.#extend()
  }

  #heard(lack: Lack): void {
    if (this.#isAway) this.#options.log.info("the accounts' store is back")
    this.#isAway = false
    if (lack.state === 'supplanted') {
      this.#isSupplanted = true
      this.#options.trust.withdraw()
    }
    const refusal = lack.state === 'same' ? undefined : refusalOf(lack, this.#copy.at)
    if (refusal !== this.#refusal) this.#refusalToldAt = Number.NEGATIVE_INFINITY
    if (refusal === undefined && this.#refusal !== undefined)
      this.#options.log.info("the accounts' store is followed again")
    this.#refusal = refusal
    this.#tellRefusal(performance.now())
  }

  #tellRefusal(now: number): void {
    if (this.#refusal === undefined || now - this.#refusalToldAt < refusalToldMs) return
    this.#refusalToldAt = now
    const then = this.#isSupplanted || !this.#copy.isThere ? 'nobody is let in' : 'keys are checked against the copy'
    this.#options.log.error(
      `the accounts' store at ${this.shared.connection.place} ${this.#refusal}; until then ${then}`,
    )
  }

  #gone(reason: string): void {
    if (this.#isAway) return
    this.#isAway = true
    const then = this.#copy.isThere
      ? 'keys are checked against the copy'
      : 'nobody is let in, since there is no copy yet'
    this.#options.log.warn({ reason }, `the accounts' store is away: ${then}, and changes are refused`)
  }
}
