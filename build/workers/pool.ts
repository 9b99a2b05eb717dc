/**
 * The worker pool of a build: the caller's thread, and a thread for each further core if there is enough to do. It is handed
 * its jobs.
 *
 *   prepare(job, preparation) ─▶ all workers, which drop the job before
 *   run(job, task) ─▶ queue ─▶ the worker with the fewest tasks ─▶ its result
 *
 * A result depends on the task alone, not on the worker. The caller takes results in the order of tasks.
 */
import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { buildThreadsMax } from '../../src/limits.ts'
import { startThread } from '../../src/platform/start-thread.ts'

/** Below it, the work is done before threads have started. */
const bytesWorthThreads = 8 * 1024 * 1024
/** V8 has three semi-spaces of this size a thread. Most of what jobs allocate is garbage soon. */
const youngMegabytes = 6

export type OnProgress = (progress: unknown) => void

/** A worker thread imports the job by `module` and `name`, so it must be exported there. */
export interface Job<Preparation, Prepared, Task, Result> {
  /** The `import.meta.url` of the module that exports it. */
  readonly module: string
  readonly name: string
  /** Tasks that a thread holds at once: with two, a short task needs no wait for the caller before the next. */
  readonly tasksPerThread: number
  /** Called once a worker, before its first task. */
  prepare(preparation: Preparation): Prepared
  run(prepared: Prepared, task: Task, onProgress: OnProgress): Result | Promise<Result>
  /** Buffers of the result that are moved to the caller's thread, not copied. */
  transfers(result: Result): ArrayBuffer[]
}

type AnyJob = Job<unknown, unknown, unknown, unknown>
type JobExport = Pick<AnyJob, 'module' | 'name'>

export type Message = { readonly preparation: unknown; readonly job: JobExport } | { readonly task: unknown }
export type Reply =
  | { readonly result: unknown }
  | { readonly progress: unknown }
  /** A system error. */
  | { readonly failed: Pick<NodeJS.ErrnoException, 'message' | 'code' | 'errno' | 'syscall'> }

interface QueuedTask {
  readonly job: AnyJob
  readonly task: unknown
  readonly onProgress: OnProgress
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** Runs tasks in the order in which they come. */
interface PoolWorker {
  /** Undefined: the caller's own. */
  readonly thread: Worker | undefined
  readonly tasks: QueuedTask[]
}

export class WorkerPool {
  readonly #sizeMax: number
  readonly #bytesWorthThreads: number
  readonly #workers: PoolWorker[] = [{ thread: undefined, tasks: [] }]
  readonly #queue: QueuedTask[] = []
  #preparing: { readonly job: AnyJob; readonly preparation: unknown } | undefined
  /** In the caller's thread. */
  #prepared: { readonly job: AnyJob; readonly value: unknown } | undefined
  #failure: Error | undefined

  /**
   * @param sizeMax the most tasks that run at once, by default one a core
   * @param worthThreads bytes of input that are worth further threads
   */
  constructor(sizeMax = Math.min(availableParallelism(), buildThreadsMax), worthThreads = bytesWorthThreads) {
    this.#sizeMax = sizeMax
    this.#bytesWorthThreads = worthThreads
  }

  /** The number of tasks that run at once. */
  get size(): number {
    return this.#workers.length
  }

  /** Starts the threads if this many bytes of input are worth them. */
  expect(bytes: number): void {
    if (bytes < this.#bytesWorthThreads) return
    while (this.#workers.length < this.#sizeMax) this.#start()
  }

  /** Every worker prepares the job before its first task. All tasks of the job before must be done. */
  prepare<Preparation>(job: Job<Preparation, unknown, never, unknown>, preparation: NoInfer<Preparation>): void {
    this.#prepared = undefined
    this.#preparing = { job: job as AnyJob, preparation }
    for (const { thread } of this.#workers) thread?.postMessage(messageOf(this.#preparing))
  }

  /** Runs a task of the prepared job. */
  run<Task, Result>(
    job: Job<never, unknown, Task, Result>,
    task: NoInfer<Task>,
    onProgress: OnProgress = () => undefined,
  ): Promise<Result> {
    const done = new Promise<unknown>((resolve, reject) => {
      this.#queue.push({ job: job as unknown as AnyJob, task, onProgress, resolve, reject })
    })
    // A caller that no longer waits must not end the process by an unhandled rejection.
    done.catch(() => undefined)
    this.#next()
    return done as Promise<Result>
  }

  async close(): Promise<void> {
    this.#preparing = undefined
    this.#prepared = undefined
    await Promise.all(this.#workers.splice(1).map(({ thread }) => thread!.terminate()))
  }

  #start(): void {
    const thread = startThread('./worker', import.meta.url, {
      resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
    })
    if (this.#preparing !== undefined) thread.postMessage(messageOf(this.#preparing))
    const worker: PoolWorker = { thread, tasks: [] }
    thread.on('message', (reply: Reply) => {
      if ('progress' in reply) worker.tasks[0]?.onProgress(reply.progress)
      else if ('result' in reply) this.#done(worker, reply.result)
      else this.#failed(worker, Object.assign(new Error(reply.failed.message), reply.failed))
    })
    thread.on('error', (error: Error) => this.#fail(new Error(`a thread of the build failed: ${error.message}`)))
    thread.on('exit', () => this.#fail(new Error('a thread of the build ended')))
    this.#workers.push(worker)
  }

  #next(): void {
    if (this.#failure !== undefined) this.#fail(this.#failure)
    while (this.#queue.length > 0) {
      const { tasksPerThread } = this.#queue[0]!.job
      const free = this.#workers.filter(({ thread, tasks }) => tasks.length < (thread ? tasksPerThread : 1))
      if (free.length === 0) return
      // Threads first: the caller's thread has other work.
      const worker = free.reduceRight((least, other) => (other.tasks.length < least.tasks.length ? other : least))
      const queued = this.#queue.shift()!
      worker.tasks.push(queued)
      if (worker.thread === undefined) setImmediate(() => this.#runHere(worker, queued))
      else worker.thread.postMessage({ task: queued.task } satisfies Message)
    }
  }

  async #runHere(worker: PoolWorker, { job, task, onProgress }: QueuedTask): Promise<void> {
    try {
      if (this.#prepared?.job !== job) this.#prepared = { job, value: job.prepare(this.#preparing?.preparation) }
      this.#done(worker, await job.run(this.#prepared.value, task, onProgress))
    } catch (error) {
      this.#failed(worker, error as Error)
    }
  }

  #failed(worker: PoolWorker, error: Error): void {
    const failed = worker.tasks.shift()
    this.#next()
    failed?.reject(error)
  }

  #done(worker: PoolWorker, result: unknown): void {
    const done = worker.tasks.shift()
    this.#next()
    done?.resolve(result)
  }

  /** Fails all tasks: one thread's work is lost, and with it the build. */
  #fail(error: Error): void {
    this.#failure ??= error
    const lost = [...this.#workers.flatMap(({ tasks }) => tasks.splice(0)), ...this.#queue.splice(0)]
    for (const { reject } of lost) reject(this.#failure)
  }
}

const messageOf = ({ job, preparation }: { readonly job: JobExport; readonly preparation: unknown }): Message => ({
  job: { module: job.module, name: job.name },
  preparation,
})
