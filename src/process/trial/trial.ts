/**
 * Loads a version and tries it before it serves anyone: a spare thread reads the files, opens the version and answers
 * fixed questions about it. Files with right checksums can still hold wrong numbers, and a reader of wrong numbers may
 * throw, answer nonsense, or never end.
 *
 *   files ─ load ─ open ─ question ─ question ─ … ─ all answered ────────▶ served
 *             └──────┴───────┴──────────┴─ throws, nonsense, no end ─────▶ IndexError
 *
 * The thread loads the files into memory that all threads share, and loads no HTTP library, so it can be ended at any
 * moment. While requests are served, it has a lower priority than the server threads: see trial-worker.ts.
 */
import { resolve } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { IndexError } from '../../indexes/format.ts'
import type { VersionFiles } from '../../indexes/load.ts'
import { bytesOf } from '../../indexes/manifest.ts'
import { releaseMemory } from '../../platform/memory.ts'
import { startThread } from '../../platform/start-thread.ts'
import { reserveThreadNumber, ThreadTime } from '../../platform/thread-time.ts'
import type { Load, Loaded, Progress, TrialOptions } from './trial-worker.ts'

/**
 * The limits of a trial, measured from the first question: the thread's CPU time, and the time by the clock. A busy
 * machine, a throttled container or a cold disk makes a trial longer, but does not make it use more CPU time.
 */
const trialCpuMsMax = 5000
const trialMsMax = 60_000
const trialLookMs = 100
/** The trial of 115,316 cards takes 25 MB. */
const heapMegabytesMax = 1024

/** A thread for one version: `load`, then `pass`. */
export class Trial {
  readonly #worker: Worker
  readonly #time: ThreadTime
  /** Rejects when the thread fails or ends. */
  readonly #failed: Promise<never>
  /** The size of the loaded version in bytes. */
  #bytes = 0

  constructor({ isBesideRequests } = { isBesideRequests: false }) {
    const resourceLimits = { maxOldGenerationSizeMb: heapMegabytesMax, maxYoungGenerationSizeMb: 12 }
    const number = reserveThreadNumber()
    const workerData: TrialOptions = { number, isBesideRequests }
    const worker = startThread('./trial-worker', import.meta.url, { workerData, resourceLimits })
    this.#worker = worker
    this.#time = new ThreadTime(worker, number)
    this.#failed = new Promise((_, reject) => {
      worker.on('error', reject)
      worker.on('exit', () => reject(new Error('the thread ended')))
    })
    // Until `load` is called, the thread neither keeps the process alive nor reports errors.
    this.#failed.catch(() => undefined)
    worker.unref()
  }

  /** Loads a version, as `loadVersion` does. Throws as `loadVersion` does; then the thread has ended. */
  async load(indexDir: string, version: string): Promise<VersionFiles> {
    const loading = Promise.withResolvers<VersionFiles>()
    const worker = this.#worker
    worker.once('message', ({ loaded, reason }: Loaded) => {
      if (loaded === undefined) loading.reject(new IndexError(reason))
      else loading.resolve(loaded)
    })
    worker.ref()
    worker.postMessage({ indexDir, version } satisfies Load)
    try {
      const loaded = await Promise.race([loading.promise, this.#failed])
      this.#bytes = bytesOf(loaded.manifest.files)
      return loaded
    } catch (error) {
      await this.end()
      if (error instanceof IndexError) throw error
      throw new IndexError(`${resolve(indexDir, version)} can't be loaded (${firstLine(error)})`)
    }
  }

  /**
   * Resolves when the loaded version has answered all questions. Throws IndexError with one line that names the failed
   * question. In both cases the thread has ended.
   * @param where the version's path or address, for the message
   */
  async pass(where: string): Promise<void> {
    const worker = this.#worker
    const { promise, resolve: succeed, reject } = Promise.withResolvers<void>()
    let question: string | undefined
    let look: NodeJS.Timeout | undefined
    const begin = () => {
      const from = performance.now()
      this.#time.restart()
      look = setInterval(() => {
        if (this.#time.ms >= trialCpuMsMax) reject(new Error(`no answer in ${trialCpuMsMax / 1000} s of CPU time`))
        else if (performance.now() - from >= trialMsMax) reject(new Error(`no answer in ${trialMsMax / 1000} s`))
      }, trialLookMs)
    }
    worker.on('message', (progress: Progress) => {
      if (progress.reason !== undefined) return reject(new Error(progress.reason))
      if (progress.question === undefined) return succeed()
      if (question === undefined) begin()
      question = progress.question
    })
    try {
      worker.postMessage('pass')
      await Promise.race([promise, this.#failed])
    } catch (error) {
      // The caller drops the version.
      releaseMemory(this.#bytes)
      throw new IndexError(`${where} fails its trial: ${question ?? 'starting'}: ${firstLine(error)}`)
    } finally {
      clearInterval(look)
      await this.end()
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}

const firstLine = (error: unknown): string => (error as Error).message.split('\n', 1)[0]!

/** Loads and tries a version in a thread of its own, as `Trial` does. Requests are answered meanwhile. */
export async function tryVersion(indexDir: string, version: string, where: string): Promise<VersionFiles> {
  const trial = new Trial({ isBesideRequests: true })
  const loaded = await trial.load(indexDir, version)
  await trial.pass(where)
  return loaded
}
