/**
 * Who does a build's large jobs (jobs.ts): threads, one a core, or the caller's own where there is one core or little to do.
 *
 *   prepare(job, what all its tasks need) ─▶ every thread
 *   do(job, task) ─▶ queue ─▶ the next idle thread ─▶ its result
 *
 * A result follows from the task alone, so it is the same whoever made it; the caller takes results in the order of tasks.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { buildThreadsMax } from '../../src/limits.ts'
import { type JobName, jobs, type Preparation, type Report, type Result, type Task } from './jobs.ts'

/** Below it, threads would not be there before the work is done. */
const bytesWorthThreads = 8 * 1024 * 1024
/** Of a thread's young generation, of which there are three parts: what jobs make is mostly gone soon. */
const youngMegabytes = 24

export type Order =
  | { readonly job: JobName; readonly preparation: unknown }
  | { readonly job: JobName; readonly task: unknown }
export type Answer = { readonly result: unknown } | { readonly report: unknown }

interface Waiting {
  readonly order: Order
  readonly transfer: readonly ArrayBuffer[]
  readonly report: Report
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

export class Crew {
  readonly #threadsWanted: number
  readonly #threads: Worker[] = []
  readonly #idle: Worker[] = []
  readonly #waiting: Waiting[] = []
  readonly #working = new Map<Worker, Waiting>()
  readonly #prepared = new Map<JobName, unknown>()
  readonly #preparations = new Map<JobName, unknown>()
  #failure: Error | undefined

  /** @param threads 1: none beside the caller's own. By default one a core; they start when there is enough to do */
  constructor(threads = Math.min(availableParallelism(), buildThreadsMax)) {
    this.#threadsWanted = threads
  }

  /** How many tasks can be done at once. */
  get size(): number {
    return Math.max(1, this.#threads.length)
  }

  /** To be told before the work: so many bytes of a snapshot are to be read. */
  expect(bytes: number): void {
    if (this.#threads.length > 0 || this.#threadsWanted < 2 || bytes < bytesWorthThreads) return
    for (let i = 0; i < this.#threadsWanted; i++) this.#start()
  }

  /** What each thread makes ready once for all tasks of the job; what it made for earlier ones is forgotten. */
  prepare<Name extends JobName>(job: Name, preparation: Preparation<Name>): void {
    this.#prepared.delete(job)
    this.#preparations.set(job, preparation)
    for (const thread of this.#threads) thread.postMessage({ job, preparation } satisfies Order)
  }

  /** @param transfer memory of the task that the caller gives up */
  do<Name extends JobName>(
    job: Name,
    task: Task<Name>,
    transfer: readonly ArrayBuffer[] = [],
    report: Report = () => undefined,
  ): Promise<Result<Name>> {
    if (this.#threads.length === 0) return this.#doHere(job, task, report)
    const done = new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ order: { job, task }, transfer, report, resolve, reject })
    })
    // Whoever stopped waiting must not end the process.
    done.catch(() => undefined)
    this.#next()
    return done as Promise<Result<Name>>
  }

  /** Ends the threads, and with them what they hold. */
  async close(): Promise<void> {
    this.#preparations.clear()
    this.#prepared.clear()
    await Promise.all(this.#threads.splice(0).map((thread) => thread.terminate()))
  }

  async #doHere<Name extends JobName>(job: Name, task: Task<Name>, report: Report): Promise<Result<Name>> {
    const { prepare, run } = jobs[job] as unknown as AnyJob
    if (!this.#prepared.has(job)) this.#prepared.set(job, prepare(this.#preparations.get(job)))
    return (await run(this.#prepared.get(job), task, report)) as Result<Name>
  }

  #start(): void {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
    })
    for (const [job, preparation] of this.#preparations) thread.postMessage({ job, preparation } satisfies Order)
    thread.on('message', (answer: Answer) => {
      const waiting = this.#working.get(thread)!
      if ('report' in answer) {
        waiting.report(answer.report)
        return
      }
      this.#working.delete(thread)
      this.#idle.push(thread)
      this.#next()
      waiting.resolve(answer.result)
    })
    thread.on('error', (error: Error) => this.#fail(new Error(`a thread of the build failed: ${error.message}`)))
    thread.on('exit', () => this.#fail(new Error('a thread of the build ended')))
    this.#threads.push(thread)
    this.#idle.push(thread)
  }

  #next(): void {
    if (this.#failure !== undefined) this.#fail(this.#failure)
    while (this.#idle.length > 0 && this.#waiting.length > 0) {
      const waiting = this.#waiting.shift()!
      const thread = this.#idle.pop()!
      this.#working.set(thread, waiting)
      thread.postMessage(waiting.order, waiting.transfer)
    }
  }

  /** Nothing is done any more: one thread's work is lost, and with it the build. */
  #fail(error: Error): void {
    this.#failure ??= error
    for (const { reject } of [...this.#working.values(), ...this.#waiting.splice(0)]) reject(this.#failure)
    this.#working.clear()
  }
}

/** A job whose types were checked where it was asked for. */
export interface AnyJob {
  prepare(preparation: unknown): unknown
  run(prepared: unknown, task: unknown, report: Report): unknown
  handsOver(result: unknown): ArrayBuffer[]
}
