/**
 * Who does a build's large jobs (jobs.ts): the caller's thread, and beside it one more for each further core, where there is
 * enough to do.
 *
 *   prepare(job, what all its tasks need) ─▶ all, who forget the job before
 *   do(job, task) ─▶ queue ─▶ whoever has the least to do ─▶ its result
 *
 * A result follows from the task alone, so it is the same whoever made it; the caller takes results in the order of tasks.
 */
import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { buildThreadsMax } from '../../src/limits.ts'
import { startThread } from '../../src/platform/start-thread.ts'
import { type JobName, jobs, type Preparation, type Report, type Result, type Task } from './jobs.ts'

/** Below it, threads would not be there before the work is done. */
const bytesWorthThreads = 8 * 1024 * 1024
/** Of a thread's young generation, of which there are three parts: what jobs make is mostly gone soon. */
const youngMegabytes = 6

interface Preparing {
  readonly job: JobName
  readonly preparation: unknown
}

export type Order = Preparing | { readonly job: JobName; readonly task: unknown } | 'rest'
export type Answer =
  | { readonly result: unknown }
  | { readonly report: unknown }
  /** What the system refused. */
  | { readonly refused: Pick<NodeJS.ErrnoException, 'message' | 'code' | 'errno' | 'syscall'> }

interface Waiting {
  readonly job: JobName
  readonly task: unknown
  readonly report: Report
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** Who does tasks, in the order in which they were given. */
interface PoolWorker {
  /** Undefined: the caller's own. */
  readonly thread: Worker | undefined
  readonly tasks: Waiting[]
}

export class WorkerPool {
  readonly #sizeWanted: number
  readonly #worthwhile: number
  readonly #workers: PoolWorker[] = [{ thread: undefined, tasks: [] }]
  readonly #waiting: Waiting[] = []
  #order: Preparing | undefined
  /** In the caller's thread. */
  #prepared: { readonly job: JobName; readonly all: unknown } | undefined
  #failure: Error | undefined

  /**
   * @param size how many do tasks at once, by default one a core
   * @param worthwhile so many bytes to read are worth threads beside the caller's
   */
  constructor(size = Math.min(availableParallelism(), buildThreadsMax), worthwhile = bytesWorthThreads) {
    this.#sizeWanted = size
    this.#worthwhile = worthwhile
  }

  /** How many tasks can be done at once. */
  get size(): number {
    return this.#workers.length
  }

  /** To be told before the work: so many bytes of a snapshot are to be read. */
  expect(bytes: number): void {
    if (bytes < this.#worthwhile) return
    while (this.#workers.length < this.#sizeWanted) this.#start()
  }

  /** What all tasks of the job need, made ready once by each who has one. The job before must be done: it is forgotten. */
  prepare<Name extends JobName>(job: Name, preparation: Preparation<Name>): void {
    this.#prepared = undefined
    this.#order = { job, preparation }
    for (const { thread } of this.#workers) thread?.postMessage(this.#order)
  }

  /** What the last job needed is forgotten, too; there may be another one. */
  reset(): void {
    this.#prepared = undefined
    this.#order = undefined
    for (const { thread } of this.#workers) thread?.postMessage('rest' satisfies Order)
  }

  do<Name extends JobName>(job: Name, task: Task<Name>, report: Report = () => undefined): Promise<Result<Name>> {
    const done = new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ job, task, report, resolve, reject })
    })
    // Whoever stopped waiting must not end the process.
    done.catch(() => undefined)
    this.#next()
    return done as Promise<Result<Name>>
  }

  /** Ends the threads, and with them what they hold. */
  async close(): Promise<void> {
    this.#order = undefined
    this.#prepared = undefined
    await Promise.all(this.#workers.splice(1).map(({ thread }) => thread!.terminate()))
  }

  #start(): void {
    const thread = startThread('./worker', import.meta.url, {
      resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
    })
    if (this.#order !== undefined) thread.postMessage(this.#order)
    const worker: PoolWorker = { thread, tasks: [] }
    thread.on('message', (answer: Answer) => {
      if ('report' in answer) worker.tasks[0]?.report(answer.report)
      else if ('result' in answer) this.#done(worker, answer.result)
      else this.#refused(worker, Object.assign(new Error(answer.refused.message), answer.refused))
    })
    thread.on('error', (error: Error) => this.#fail(new Error(`a thread of the build failed: ${error.message}`)))
    thread.on('exit', () => this.#fail(new Error('a thread of the build ended')))
    this.#workers.push(worker)
  }

  #next(): void {
    if (this.#failure !== undefined) this.#fail(this.#failure)
    while (this.#waiting.length > 0) {
      const { tasksAThread } = jobs[this.#waiting[0]!.job]
      const free = this.#workers.filter(({ thread, tasks }) => tasks.length < (thread === undefined ? 1 : tasksAThread))
      if (free.length === 0) return
      // Threads first: the caller has other things to do.
      const worker = free.reduceRight((least, other) => (other.tasks.length < least.tasks.length ? other : least))
      const waiting = this.#waiting.shift()!
      worker.tasks.push(waiting)
      const { job, task } = waiting
      if (worker.thread === undefined) setImmediate(() => this.#doHere(worker, waiting))
      else worker.thread.postMessage({ job, task } satisfies Order)
    }
  }

  async #doHere(worker: PoolWorker, { job, task, report }: Waiting): Promise<void> {
    const { prepare, run } = jobs[job] as unknown as AnyJob
    try {
      if (this.#prepared?.job !== job) this.#prepared = { job, all: prepare(this.#order?.preparation) }
      this.#done(worker, await run(this.#prepared.all, task, report))
    } catch (error) {
      this.#refused(worker, error as Error)
    }
  }

  #refused(worker: PoolWorker, error: Error): void {
    const refused = worker.tasks.shift()
    this.#next()
    refused?.reject(error)
  }

  #done(worker: PoolWorker, result: unknown): void {
    const done = worker.tasks.shift()
    this.#next()
    done?.resolve(result)
  }

  /** Nothing is done any more: one thread's work is lost, and with it the build. */
  #fail(error: Error): void {
    this.#failure ??= error
    const lost = [...this.#workers.flatMap(({ tasks }) => tasks.splice(0)), ...this.#waiting.splice(0)]
    for (const { reject } of lost) reject(this.#failure)
  }
}

/** A job whose types were checked where it was asked for. */
export interface AnyJob {
  prepare(preparation: unknown): unknown
  run(prepared: unknown, task: unknown, report: Report): unknown
  handsOver(result: unknown): ArrayBuffer[]
}
