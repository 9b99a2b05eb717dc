/** A server thread, for the supervisor: sends it messages, and resolves with its answer or rejects if it ends before. */
import type { Worker } from 'node:worker_threads'
import type { SharedAccounts } from '../../accounts/shared.ts'
import type { CertificateFiles } from '../../http/connections/apps.ts'
import type { VersionFiles } from '../../indexes/version.ts'
import { startThread } from '../../platform/start-thread.ts'
import type { FromThread, ThreadOptions, ToThread } from './worker.ts'

/** The thread ended before it could answer. */
export class ThreadEnded extends Error {}

export class ServerThread {
  readonly #worker: Worker
  /** The reason of its failure, for messages. */
  #failure = ''
  #hasEnded = false
  #updating: Promise<void> | undefined
  /** Its counters were updated too late for the caller. */
  #isUpdated = false
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>
  /** Resolves when the thread has begun. Messages sent before wait. Rejects with ThreadEnded, as all methods that wait do. */
  readonly started: Promise<unknown>

  /** Throws if the system gives no thread. */
  constructor(options: ThreadOptions, onFailure: (error: Error) => void) {
    this.#worker = startThread('./worker', import.meta.url, { workerData: options })
    this.#worker.on('error', (error) => {
      this.#failure = `: ${error.message}`
      onFailure(error)
    })
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#hasEnded = true
        resolve()
      })
    })
    this.started = this.#answer('started')
    // If nobody awaits it, the next message reports the end.
    this.started.catch(() => undefined)
  }

  /** The first message. Until it arrives, the thread loads its modules. */
  begin(accounts: SharedAccounts): void {
    this.#send({ type: 'begin', accounts })
  }

  /** Opens a version beside the present one. Returns the reason if it can't. */
  async prepare(version: VersionFiles): Promise<string | undefined> {
    return (await this.#ask({ type: 'prepare', version }, 'prepared')).reason
  }

  /** Switches to the prepared version. */
  async switch(): Promise<void> {
    await this.#ask({ type: 'switch' }, 'switched')
  }

  /** Drops the prepared version. */
  drop(): void {
    this.#send({ type: 'drop' })
  }

  /** @param description of the API, in shared memory */
  describe(description: Uint8Array): void {
    this.#send({ type: 'describe', description })
  }

  /** Gives new connections this certificate. Returns the reason if it can't. */
  async secure(certificate: CertificateFiles): Promise<string | undefined> {
    return (await this.#ask({ type: 'secure', certificate }, 'secured')).reason
  }

  /** Resolves when its event loop has answered. */
  async ping(): Promise<void> {
    await this.#ask({ type: 'ping' }, 'well')
  }

  /**
   * Resolves when its counters are up to date.
   * @param given aborted when the caller no longer waits. Then the update serves the next caller
   */
  async updateCounters(given: AbortSignal): Promise<void> {
    if (!this.#isUpdated) {
      // A thread that does not answer gets no second message.
      this.#updating ??= this.#ask({ type: 'update' }, 'updated').then(() => {
        this.#updating = undefined
        this.#isUpdated = true
      })
      await this.#updating
    }
    if (!given.aborted) this.#isUpdated = false
  }

  /** From now on its /healthz answers 503. */
  drain(): void {
    this.#send({ type: 'drain' })
  }

  /** Returns the port, or undefined if it is not available. */
  async listen(port: number, exclusive: boolean): Promise<number | undefined> {
    return (await this.#ask({ type: 'listen', port, exclusive }, 'listening')).port
  }

  /** Resolves when it has answered the requests in flight and has ended. Returns how many it gave up. */
  async stop(): Promise<number> {
    // It is not terminated while it loads: V8 would report the module, and hide why the start failed.
    const stopped = await this.#ask({ type: 'stop' }, 'stopped').catch(() => undefined)
    await this.ended
    return stopped?.givenUp ?? 0
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message)
  }

  #ask<Type extends FromThread['type']>(message: ToThread, type: Type): Promise<FromThread & { type: Type }> {
    const answer = this.#answer(type)
    this.#send(message)
    return answer
  }

  /** The thread's next message of that type. Throws ThreadEnded. */
  #answer<Type extends FromThread['type']>(type: Type): Promise<FromThread & { type: Type }> {
    return new Promise((resolve, reject) => {
      const unlisten = () => {
        this.#worker.off('message', onMessage)
        this.#worker.off('exit', fail)
      }
      const onMessage = (message: FromThread) => {
        if (message.type !== type) return
        unlisten()
        resolve(message as FromThread & { type: Type })
      }
      const fail = () => {
        unlisten()
        reject(new ThreadEnded(`a server thread ended${this.#failure}`))
      }
      this.#worker.on('message', onMessage)
      this.#worker.on('exit', fail)
      if (this.#hasEnded) fail()
    })
  }
}
