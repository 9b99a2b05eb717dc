/** A server thread, for the supervisor: calls its functions (worker.ts), and rejects if it ends before they return. */
import type { Worker } from 'node:worker_threads'
import { startThread } from '../../platform/start-thread.ts'
import type { Call, Calls, Result, ThreadOptions } from './worker.ts'

export class ThreadEnded extends Error {}

export class ServerThread {
  readonly #worker: Worker
  /** The calls that have not returned, by id. */
  readonly #pending = new Map<number, Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'>>()
  #lastId = 0
  /** The reason of its failure, for messages. */
  #failure = ''
  #hasEnded = false
  /** An update of its counters that no caller has used yet. */
  #update: Promise<void> | undefined
  readonly ended: Promise<void>

  /** Throws if the system gives no thread. */
  constructor(options: ThreadOptions, onFailure: (error: Error) => void) {
    // Requests leave few objects behind: without a limit, V8 keeps 10 MB more, and no request is faster.
    const resourceLimits = { maxYoungGenerationSizeMb: 12 }
    this.#worker = startThread('./worker', import.meta.url, { workerData: options, resourceLimits })
    this.#worker.on('error', (error) => {
      this.#failure = `: ${error.message}`
      onFailure(error)
    })
    this.#worker.on('message', ({ id, value }: Result) => {
      this.#pending.get(id)?.resolve(value)
      this.#pending.delete(id)
    })
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#hasEnded = true
        for (const { reject } of this.#pending.values()) reject(this.#ending())
        resolve()
      })
    })
  }

  /** Calls wait until the thread has loaded its modules. Rejects with ThreadEnded; callers may ignore the result. */
  call<Name extends keyof Calls>(
    name: Name,
    ...values: Parameters<Calls[Name]>
  ): Promise<Awaited<ReturnType<Calls[Name]>>> {
    const { promise, ...pending } = Promise.withResolvers<unknown>()
    promise.catch(() => undefined)
    if (this.#hasEnded) pending.reject(this.#ending())
    else {
      const id = ++this.#lastId
      this.#pending.set(id, pending)
      this.#worker.postMessage({ id, name, values } satisfies Call)
    }
    return promise as Promise<Awaited<ReturnType<Calls[Name]>>>
  }

  /**
   * Resolves when its counters are up to date.
   * @param given aborted when the caller no longer waits. Then the update serves the next caller
   */
  async updateCounters(given: AbortSignal): Promise<void> {
    // A thread that does not answer gets no second call.
    this.#update ??= this.call('update')
    await this.#update
    if (!given.aborted) this.#update = undefined
  }

  /** Resolves when it has answered the requests in flight and has ended. Returns how many it gave up. */
  async stop(): Promise<number> {
    // It is not terminated while it loads: V8 would report the module, and hide why the start failed.
    const givenUp = await this.call('stop').catch(() => 0)
    await this.ended
    return givenUp
  }

  #ending(): ThreadEnded {
    return new ThreadEnded(`a server thread ended${this.#failure}`)
  }
}
