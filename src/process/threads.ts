/**
 * The server threads as the supervisor sees them: it hands them the version to answer with, lets them listen on one port,
 * and replaces one that fails. Two steps bring a version in, so that all threads answer with it or none does:
 *
 *              prepare            whole?   switch
 *   thread 1   v1 ······ v1 + v2 ───────── v2 ···        a refusal, a version that is not whole, or a thread that ends
 *   thread 2   v1 ·· v1 + v2 ───────────── v2 ···        before the switch: all drop v2 and go on with v1
 *   thread 3   v1 ···· v1 + v2 ─────────── ✕             ends after it: v2 stands
 *   its heir                                  v2, listen  joins the others when it has what they have
 *
 * They are started before there is anything to hand to them, and load their modules while the supervisor loads its own.
 * Orders go out one after the other, in `#turn`: a version comes in between the bringing up of two heirs, never beside
 * it, so an heir can't miss one. An heir that can't be brought up is ended and replaced in its turn.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { SharedAccounts } from '../accounts/shared.ts'
import type { VersionFiles } from '../indexes/version.ts'
import type { Settings } from '../settings.ts'
import { CertificateError, type Pair, withFiles } from './certificate-files.ts'
import { ListenError } from './port.ts'
import { Restarts } from './restarts.ts'
import { ServerThread, ThreadEnded } from './thread.ts'

export interface ThreadFigures {
  /** Those that answer, or will as soon as there is a port. */
  readonly up: number
  /** Threads that ended unasked, or could not be started or brought up. */
  readonly failures: number
  /** Threads that took the place of one that ended, and answer. */
  readonly replaced: number
}

/** A place among the threads: the one that takes it has what the one before had of it. */
interface Slot {
  readonly block: SharedArrayBuffer | undefined
  readonly restarts: Restarts
}

export class ServerThreads {
  readonly #settings: Settings
  /** A seat's each, where its thread counts; none if nothing is counted. */
  readonly blocks: readonly SharedArrayBuffer[]
  /** What they begin with, and where their failures are told from then on. */
  #accounts: SharedAccounts | undefined
  #log: Logger | undefined
  /** All that run. */
  readonly #running = new Set<ServerThread>()
  /** Those that have what all have: the version, and the port once there is one. */
  readonly #up = new Set<ServerThread>()
  #turn: Promise<unknown> = Promise.resolve()
  #version: VersionFiles | undefined
  #description: Uint8Array | undefined
  #listening: { readonly port: number; readonly exclusive: boolean } | undefined
  #certificate: Pair | undefined
  #draining = false
  #stopping = false
  #firstFailure: Error | undefined
  #failures = 0
  #replaced = 0

  constructor(settings: Settings, blocks: readonly SharedArrayBuffer[] = []) {
    this.#settings = settings
    this.blocks = blocks
    try {
      for (let i = 0; i < settings.THREADS; i++) {
        this.#up.add(this.#start({ block: blocks[i], restarts: new Restarts() }))
      }
    } catch (error) {
      this.#firstFailure = error as Error
    }
  }

  /** Only once, before all else: what they need to answer. */
  begin(accounts: SharedAccounts, log: Logger): void {
    this.#accounts = accounts
    this.#log = log
    for (const thread of this.#running) thread.begin(accounts)
  }

  /**
   * Resolves when every thread answers with the version, or when one has refused it or ended before the switch: then all
   * go on with the version that they have, and the reason is returned.
   * @param whole rejects if it turns out meanwhile that no thread may answer from it: then this does, too
   */
  open(version: VersionFiles, whole: Promise<void> = Promise.resolve()): Promise<string | undefined> {
    return this.#inTurn(async () => {
      const threads = [...this.#up]
      if (threads.length === 0) {
        if (this.#listening === undefined && this.#firstFailure !== undefined) throw this.#firstFailure
        return 'no server thread runs at this moment'
      }
      const reasons = await Promise.all(threads.map((thread) => thread.prepare(version).catch(reasonOf)))
      const refused = reasons.find((reason) => reason !== undefined)
      const damage = await whole.then(
        () => undefined,
        (error: Error) => error,
      )
      if (refused === undefined && damage === undefined) {
        this.#version = version
        await Promise.all(threads.map((thread) => thread.switch().catch(reasonOf)))
        return undefined
      }
      for (const thread of threads) thread.drop()
      if (damage !== undefined) throw damage
      return refused
    })
  }

  /** As soon as it is made, and when it becomes another. @param description the interface described, in shared memory */
  describe(description: Uint8Array): void {
    this.#description = description
    for (const thread of this.#running) thread.describe(description)
  }

  /**
   * Resolves when new connections have the certificate in all threads; once before they listen. Rejects with a
   * CertificateError if one of them can't use it: then those that replace others have the one of before.
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
      Promise.all(threads.map((thread) => thread.secure(files).catch(passOver))),
    )
    const refused = reasons.find((reason) => reason !== undefined)
    if (refused !== undefined) throw new CertificateError(refused)
  }

  /** From now on whoever asks for their health is told that they will stop. */
  drain(): void {
    this.#draining = true
    for (const thread of this.#up) thread.drain()
  }

  /**
   * Only once: from then on threads that end are replaced.
   * @param exclusive the port is one thread's alone, so that a second server is refused
   * @returns the port. Throws ListenError, or what ended a thread before.
   */
  listen(port: number, exclusive: boolean): Promise<number> {
    return this.#inTurn(async () => {
      if (this.#up.size < this.#settings.THREADS) throw this.#firstFailure ?? new ThreadEnded('a server thread ended')
      let listening = port
      for (const thread of this.#up) listening = await listenIn(thread, listening, exclusive)
      this.#listening = { port: listening, exclusive }
      return listening
    })
  }

  /** Whether each thread that is up comes to answer within so many ms. One that ends meanwhile is replaced. */
  areWell(msMax: number): Promise<boolean> {
    return this.#allIn(msMax, (thread) => thread.ping())
  }

  /** Resolves when the blocks have all that the threads know, or after so many ms with those of the others. */
  async look(msMax: number): Promise<void> {
    await this.#allIn(msMax, (thread, given) => thread.look(given))
  }

  /** Whether all that are up have done it within so many ms; those that end meanwhile are passed over. */
  async #allIn(msMax: number, work: (thread: ServerThread, given: AbortSignal) => Promise<void>): Promise<boolean> {
    const late = new AbortController()
    const all = Promise.all([...this.#up].map((thread) => work(thread, late.signal).catch(passOver))).then(() => true)
    const timeout = pause(msMax, false, { signal: late.signal, ref: false }).catch(() => false)
    return Promise.race([all, timeout]).finally(() => late.abort())
  }

  get figures(): ThreadFigures {
    return { up: this.#up.size, failures: this.#failures, replaced: this.#replaced }
  }

  /** Resolves when every thread has answered what was in flight and has ended. Returns how many requests were given up. */
  async stop(): Promise<number> {
    this.#stopping = true
    const givenUp = await Promise.all([...this.#running].map((thread) => thread.stop()))
    return givenUp.reduce((sum, count) => sum + count, 0)
  }

  /** Runs when what was asked for before is done. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => undefined)
    return result
  }

  /** @param seat that it takes */
  #start(seat: Slot): ServerThread {
    const thread = new ServerThread({ settings: this.#settings, block: seat.block }, (error) => {
      this.#firstFailure ??= error
      // Before it listens, it is the start that fails and says so.
      if (this.#listening !== undefined) this.#log?.error({ err: error }, 'a server thread failed')
    })
    const started = Date.now()
    this.#running.add(thread)
    if (this.#accounts !== undefined) thread.begin(this.#accounts)
    if (this.#description !== undefined) thread.describe(this.#description)
    thread.ended.then(() => {
      this.#running.delete(thread)
      this.#up.delete(thread)
      this.#replace(seat, Date.now() - started)
    })
    return thread
  }

  #replace(seat: Slot, ranMs: number): void {
    if (this.#stopping || this.#listening === undefined) return
    this.#failures++
    const delay = seat.restarts.delayAfter(ranMs)
    this.#log?.warn({ delay }, 'a server thread ended and is replaced')
    setTimeout(() => this.#bringUp(seat), delay).unref()
  }

  #bringUp(seat: Slot): void {
    if (this.#stopping) return
    let heir: ServerThread
    try {
      heir = this.#start(seat)
    } catch (error) {
      this.#log?.error({ err: error }, 'no server thread could be started')
      this.#replace(seat, 0)
      return
    }
    heir.started
      .then(() => this.#inTurn(() => this.#joinOthers(heir)))
      .catch((error: Error) => {
        if (this.#stopping) return
        this.#log?.error(`a new server thread could not be brought up: ${error.message}`)
        if (this.#running.has(heir)) heir.stop()
      })
  }

  async #joinOthers(heir: ServerThread): Promise<void> {
    if (this.#version !== undefined) {
      const refused = await heir.prepare(this.#version)
      if (refused !== undefined) throw new Error(refused)
      await heir.switch()
    }
    if (this.#certificate !== undefined) await this.#secure([heir], this.#certificate)
    if (this.#draining) heir.drain()
    const { port, exclusive } = this.#listening!
    await listenIn(heir, port, exclusive)
    this.#up.add(heir)
    this.#replaced++
  }
}

/** A thread that has ended refuses, too. */
function reasonOf(error: unknown): string {
  if (error instanceof ThreadEnded) return `${error.message} while it opened the version`
  throw error
}

/** Who takes the place of a thread that has ended is given what all have. */
function passOver(error: unknown): undefined {
  if (!(error instanceof ThreadEnded)) throw error
}

async function listenIn(thread: ServerThread, port: number, exclusive: boolean): Promise<number> {
  const listening = await thread.listen(port, exclusive)
  if (listening === undefined) throw new ListenError(`port ${port} can't be listened on`)
  return listening
}
