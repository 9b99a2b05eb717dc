/** One server thread as the supervisor speaks to it: an order, and the answer, or the thread's end before it. */
import type { Worker } from 'node:worker_threads'
import type { SharedAccounts } from '../accounts/shared.ts'
import type { CertificateFiles } from '../http/connections/apps.ts'
import type { VersionFiles } from '../indexes/version.ts'
import { startThread } from './start-thread.ts'
import type { FromThread, ThreadOptions, ToThread } from './worker.ts'

/** The thread ended before it could answer. */
export class ThreadEnded extends Error {}

export class ServerThread {
  readonly #worker: Worker
  /** Why it failed, as far as it is known. */
  #failure = ''
  #gone = false
  #looking: Promise<void> | undefined
  /** Its cells have what was told to nobody. */
  #isUntold = false
  /** Resolves when the thread is gone. */
  readonly ended: Promise<void>
  /** Resolves when the thread has begun; orders given before wait. Throws ThreadEnded, as all that it is asked. */
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
        this.#gone = true
        resolve()
      })
    })
    this.started = this.#answer('started')
    // Whoever does not wait for it learns of the end by the next order.
    this.started.catch(() => undefined)
  }

  /** The first order; until then the thread loads what it runs. */
  begin(accounts: SharedAccounts): void {
    this.#tell({ type: 'begin', accounts })
  }

  /** Opens the version beside the one it answers with. Returns why it could not. */
  async prepare(version: VersionFiles): Promise<string | undefined> {
    return (await this.#ask({ type: 'prepare', version }, 'prepared')).reason
  }

  /** Answers with what it has prepared from now on. */
  async switch(): Promise<void> {
    await this.#ask({ type: 'switch' }, 'switched')
  }

  /** Forgets what it has prepared. */
  drop(): void {
    this.#tell({ type: 'drop' })
  }

  /** @param description the interface described, in shared memory */
  describe(description: Uint8Array): void {
    this.#tell({ type: 'describe', description })
  }

  /** Gives new connections this certificate. Returns why it could not. */
  async secure(certificate: CertificateFiles): Promise<string | undefined> {
    return (await this.#ask({ type: 'secure', certificate }, 'secured')).reason
  }

  /** Resolves when it has come to answer this. */
  async ping(): Promise<void> {
    await this.#ask({ type: 'ping' }, 'well')
  }

  /**
   * Resolves when its cells have what it knows.
   * @param given aborted when nobody waits for it any more: then what it comes to tell is for who looks next
   */
  async look(given: AbortSignal): Promise<void> {
    if (!this.#isUntold) {
      // One that does not come to answer is not asked again and again.
      this.#looking ??= this.#ask({ type: 'look' }, 'looked').then(() => {
        this.#looking = undefined
        this.#isUntold = true
      })
      await this.#looking
    }
    if (!given.aborted) this.#isUntold = false
  }

  /** Tells who asks for its health that it will stop. */
  drain(): void {
    this.#tell({ type: 'drain' })
  }

  /** Returns the port, or undefined if it can't be had. */
  async listen(port: number, exclusive: boolean): Promise<number | undefined> {
    return (await this.#ask({ type: 'listen', port, exclusive }, 'listening')).port
  }

  /** Resolves when it has answered what was in flight and has ended. Returns how many requests it gave up. */
  async stop(): Promise<number> {
    // One that loads is not terminated: V8 would tell of the module that it was in, before whatever made the start fail.
    const stopped = await this.#ask({ type: 'stop' }, 'stopped').catch(() => undefined)
    await this.ended
    return stopped?.givenUp ?? 0
  }

  #tell(message: ToThread): void {
    this.#worker.postMessage(message)
  }

  #ask<Type extends FromThread['type']>(message: ToThread, type: Type): Promise<FromThread & { type: Type }> {
    const answer = this.#answer(type)
    this.#tell(message)
    return answer
  }

  /** The thread's next message of that type. Throws ThreadEnded. */
  #answer<Type extends FromThread['type']>(type: Type): Promise<FromThread & { type: Type }> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.#worker.off('message', hear)
        this.#worker.off('exit', fail)
      }
      const hear = (heard: FromThread) => {
        if (heard.type !== type) return
        settle()
        resolve(heard as FromThread & { type: Type })
      }
      const fail = () => {
        settle()
        reject(new ThreadEnded(`a server thread ended${this.#failure}`))
      }
      this.#worker.on('message', hear)
      this.#worker.on('exit', fail)
      if (this.#gone) fail()
    })
  }
}
