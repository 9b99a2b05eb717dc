/**
 * The server threads. This class sends them versions and certificates, makes them listen on one port, and replaces
 * threads that fail. A version takes two steps, so all threads answer from it or none does:
 *
 *                prepare          switch
 *   thread 1     v1 ······ v1 + v2 ─ v2 ···         if a thread rejects v2 or ends before the switch, all drop v2 and keep v1
 *   thread 2     v1 ·· v1 + v2 ───── v2 ···
 *   thread 3     v1 ···· v1 + v2 ─── ✕              ends after the switch: v2 stays
 *   replacement                         v2, listen  joins when it has what the others have
 *
 * `#turn` runs steps one after the other. So no version arrives while a replacement joins, and no replacement misses a
 * version. A replacement that fails is replaced itself.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { SharedAccounts } from '../../accounts/shared.ts'
import type { Place } from '../../http/connections/listening-port.ts'
import type { VersionFiles } from '../../indexes/load.ts'
import { reserveBlocks } from '../../metrics/thread-counters.ts'
import { descriptorsOpen } from '../../platform/descriptors.ts'
import { keepRunning } from '../../platform/start-thread.ts'
import { isMetered, type Settings } from '../../settings.ts'
import { type Pair, withFiles } from '../certificate-files.ts'
import { ListenError } from '../free-port.ts'
import { ServerThread, ThreadEnded } from './server-thread.ts'

type PlaceOfThread = Omit<Place, 'host'>

/** A thread that uses this much CPU time without answering its supervisor counts as hung. */
const unansweredCpuMsMax = 10_000
const answerLookMs = 1000

export class ServerThreads {
  readonly #settings: Settings
  /** The counters of each slot; empty if nothing is counted. */
  readonly blocks: readonly SharedArrayBuffer[]
  readonly #accounts: SharedAccounts
  readonly #log: Logger
  readonly #running = new Set<ServerThread>()
  /** The threads with the current version, certificate and port. */
  readonly #up = new Set<ServerThread>()
  #turn: Promise<unknown> = Promise.resolve()
  #version: VersionFiles | undefined
  #description: Uint8Array | undefined
  #listening: PlaceOfThread | undefined
  #certificate: Pair | undefined
  #draining = false
  #stopping = false
  #firstFailure: Error | undefined
  #failures = 0

  /**
   * Starts the threads, which load their modules.
   * @param onHung called once if a thread hangs, with a line that says what the thread does. The process must then end,
   * because a thread with open connections can't be ended alone
   */
  constructor(settings: Settings, log: Logger, accounts: SharedAccounts, onHung: (line: string) => void) {
    this.#settings = settings
    this.#log = log
    this.#accounts = accounts
    this.blocks = isMetered(settings) ? reserveBlocks(settings.THREADS) : []
    for (let i = 0; i < settings.THREADS; i++) {
      // A replacement gets the same block, so it continues the counters of the thread that ended.
      const start = () => this.#start(this.blocks[i])
      keepRunning({ what: 'a server thread', log, start, onEnded: () => this.#isReplaced() })
    }
    const looking = setInterval(() => {
      for (const thread of this.#running) {
        if (thread.unansweredMs() < unansweredCpuMsMax) continue
        clearInterval(looking)
        const seconds = unansweredCpuMsMax / 1000
        return onHung(`a server thread used ${seconds} s of CPU time without an end ${thread.activity}`)
      }
    }, answerLookMs).unref()
  }

  /**
   * Resolves when every thread answers from the version. If a thread rejects the version or ends before the switch, all
   * threads keep the current version, and this returns the reason.
   */
  open(version: VersionFiles): Promise<string | undefined> {
    return this.#inTurn(async () => {
      const threads = [...this.#up]
      if (threads.length === 0) {
        if (this.#listening === undefined && this.#firstFailure !== undefined) throw this.#firstFailure
        return 'no server thread runs at this moment'
      }
      const reasons = await Promise.all(threads.map((thread) => thread.call('prepare', version).catch(reasonOf)))
      const reason = reasons.find((found) => found !== undefined)
      if (reason === undefined) {
        this.#version = version
        await Promise.all(threads.map((thread) => thread.call('switch').catch(reasonOf)))
      } else for (const thread of threads) thread.call('drop')
      return reason
    })
  }

  /** @param description the API's description, in shared memory */
  describe(description: Uint8Array): void {
    this.#description = description
    for (const thread of this.#running) thread.call('describe', description)
  }

  /**
   * Resolves when all threads use the certificate for new connections. Rejects with a one-line Error if a thread can't
   * use it; replacements then get the previous certificate. With TLS, call it once before `listen`.
   */
  secure(certificate: Pair): Promise<void> {
    return this.#inTurn(async () => {
      await this.#secure([...this.#up], certificate)
      this.#certificate = certificate
    })
  }

  async #secure(threads: readonly ServerThread[], certificate: Pair): Promise<void> {
    const { TLS_CERT, TLS_KEY } = this.#settings
    const reasons = await withFiles(certificate, { cert: TLS_CERT!, key: TLS_KEY! }, (files) =>
      Promise.all(threads.map((thread) => thread.call('secure', files).catch(ignoreEnd))),
    )
    const reason = reasons.find((found) => found !== undefined)
    if (reason !== undefined) throw new Error(reason)
  }

  /** From now on /healthz answers 503. */
  drain(): void {
    this.#draining = true
    for (const thread of this.#up) thread.call('drain')
  }

  /**
   * Makes all threads listen. Call it once. From then on, threads that end are replaced. Throws ListenError, or the
   * error that ended a thread before this call.
   * @param exclusive true if no other thread or program may share the port
   * @returns the port
   */
  listen(port: number, exclusive: boolean): Promise<number> {
    return this.#inTurn(async () => {
      if (this.#up.size < this.#settings.THREADS) throw this.#firstFailure ?? new ThreadEnded('a server thread ended')
      let place: PlaceOfThread = { port, exclusive, opened: descriptorsOpen('self'), threads: this.#up.size }
      for (const thread of this.#up) place = { ...place, port: await listenIn(thread, place) }
      this.#listening = place
      return place.port
    })
  }

  /** Returns whether all threads answer within `msMax`. A thread that ends meanwhile need not answer. */
  areWell(msMax: number): Promise<boolean> {
    return this.#allIn(msMax, (thread) => thread.call('ping'))
  }

  /** Resolves when all counters are up to date, or after `msMax`. */
  async updateCounters(msMax: number): Promise<void> {
    await this.#allIn(msMax, (thread, given) => thread.updateCounters(given))
  }

  /** Returns whether `work` ends within `msMax` for all threads. A thread that ends meanwhile is left out. */
  async #allIn(msMax: number, work: (thread: ServerThread, given: AbortSignal) => Promise<void>): Promise<boolean> {
    const late = new AbortController()
    const all = Promise.all([...this.#up].map((thread) => work(thread, late.signal).catch(ignoreEnd))).then(() => true)
    const timeout = pause(msMax, false, { signal: late.signal, ref: false }).catch(() => false)
    return Promise.race([all, timeout]).finally(() => late.abort())
  }

  /**
   * `up`: how many threads answer, or will answer as soon as they listen. `failures`: how many threads ended
   * unexpectedly or could not be started.
   */
  get figures() {
    return { up: this.#up.size, failures: this.#failures }
  }

  /** Resolves when every thread has answered the requests in flight and has ended. Returns how many were given up. */
  async stop(): Promise<number> {
    this.#stopping = true
    const givenUp = await Promise.all([...this.#running].map((thread) => thread.stop()))
    return givenUp.reduce((sum, count) => sum + count, 0)
  }

  /** Runs `work` after all earlier work. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => undefined)
    return result
  }

  async #start(block: SharedArrayBuffer | undefined): Promise<void> {
    if (this.#stopping) return
    const options = { settings: this.#settings, accounts: this.#accounts, block }
    const thread = new ServerThread(options, (error) => {
      this.#firstFailure ??= error
      // Before the threads listen, the start fails and reports this error.
      if (this.#listening !== undefined) this.#log.error({ err: error }, 'a server thread failed')
    })
    this.#running.add(thread)
    if (this.#description !== undefined) thread.call('describe', this.#description)
    if (this.#listening === undefined) this.#up.add(thread)
    else this.#join(thread)
    await thread.ended
    this.#running.delete(thread)
    this.#up.delete(thread)
  }

  #isReplaced(): boolean {
    if (this.#stopping || this.#listening === undefined) return false
    this.#failures++
    return true
  }

  /** The replacement loads its modules before its turn, so that no version waits for the loading. */
  async #join(replacement: ServerThread): Promise<void> {
    try {
      await replacement.call('ping')
      await this.#inTurn(() => this.#joinOthers(replacement))
    } catch (error) {
      if (this.#stopping) return
      this.#log.error(`a new server thread could not be started: ${(error as Error).message}`)
      if (this.#running.has(replacement)) replacement.stop()
    }
  }

  async #joinOthers(replacement: ServerThread): Promise<void> {
    if (this.#version !== undefined) {
      const reason = await replacement.call('prepare', this.#version)
      if (reason !== undefined) throw new Error(reason)
      await replacement.call('switch')
    }
    if (this.#certificate !== undefined) await this.#secure([replacement], this.#certificate)
    if (this.#draining) replacement.call('drain')
    await listenIn(replacement, this.#listening!)
    this.#up.add(replacement)
  }
}

/** Why a thread rejects the version. A thread that ended counts as one that rejects it. */
function reasonOf(error: unknown): string {
  if (error instanceof ThreadEnded) return `${error.message} while it opened the version`
  throw error
}

/** Ignores that a thread ended: a replacement gets the certificate when it joins, and need not answer before. */
function ignoreEnd(error: unknown): undefined {
  if (!(error instanceof ThreadEnded)) throw error
}

async function listenIn(thread: ServerThread, place: PlaceOfThread): Promise<number> {
  const port = await thread.call('listen', place)
  if (port === undefined) throw new ListenError(`port ${place.port} is not available`)
  return port
}
