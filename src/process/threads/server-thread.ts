/** A server thread, as the supervisor sees it. The supervisor calls the functions of worker.ts in the thread. */
import type { Worker } from 'node:worker_threads'
import { activityText, newActivity } from '../../http/activity.ts'
import { startThread } from '../../platform/start-thread.ts'
import { reserveThreadNumber, ThreadTime } from '../../platform/thread-time.ts'
import type { Call, Calls, Result, ThreadOptions } from './worker.ts'

export class ThreadEnded extends Error {}

const ignore = () => undefined

export class ServerThread {
  readonly #worker: Worker
  /** The calls that have not returned, by id. */
  readonly #pending = new Map<number, Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'>>()
  #lastId = 0
  /** Why the thread failed, for messages; empty if it did not. */
  #failure = ''
  #hasEnded = false
  /** The running update of the counters, or one that ended after its caller had stopped waiting. */
  #update: Promise<void> | undefined
  readonly #activity = newActivity()
  /** The thread's CPU time since it was last asked for an answer. */
  readonly #time: ThreadTime
  /** True while the thread owes an answer. */
  #isAsked = false
  readonly ended: Promise<void>

  /** Throws if the system can't start a thread. */
  constructor(options: Omit<ThreadOptions, 'number' | 'activity'>, onFailure: (error: Error) => void) {
    // Without a limit, V8 keeps 10 MB more, and no request is faster, because requests leave few objects behind.
    const resourceLimits = { maxYoungGenerationSizeMb: 12 }
    const number = reserveThreadNumber()
    const workerData: ThreadOptions = { ...options, number, activity: this.#activity }
    this.#worker = startThread('./worker', import.meta.url, { workerData, resourceLimits })
    this.#time = new ThreadTime(this.#worker, number)
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

  /**
   * Calls a function of the thread, as soon as the thread has loaded its modules. Rejects with ThreadEnded if the
   * thread ends before the function returns. Callers may ignore the promise.
   */
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
   * Returns how much CPU time (ms) the thread has used without answering its supervisor. Call it regularly: a call
   * asks the thread for an answer, unless the thread owes one.
   */
  unansweredMs(): number {
    if (!this.#isAsked) {
      this.#isAsked = true
      this.#time.restart()
      this.call('ping').then(() => {
        this.#isAsked = false
      }, ignore)
    }
    return this.#time.ms
  }

  /** The thread's current activity, as a part of a message. */
  get activity(): string {
    return activityText(this.#activity)
  }

  /**
   * Resolves when the thread's counters are up to date.
   * @param given aborts when the caller stops waiting. The next caller then gets the same update
   */
  async updateCounters(given: AbortSignal): Promise<void> {
    // A thread that does not answer gets no second call.
    this.#update ??= this.call('update')
    await this.#update
    if (!given.aborted) this.#update = undefined
  }

  /**
   * Resolves when the thread has answered the requests in flight and has ended. Returns how many requests it gave up.
   */
  async stop(): Promise<number> {
    // A thread that still loads modules is not terminated: V8 would report the module, and hide why the start failed.
    const givenUp = await this.call('stop').catch(() => 0)
    await this.ended
    return givenUp
  }

  #ending(): ThreadEnded {
    return new ThreadEnded(`a server thread ended${this.#failure}`)
  }
}
