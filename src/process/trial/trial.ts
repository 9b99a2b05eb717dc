/**
 * Tries a version before it serves anyone: a spare thread opens it and answers fixed questions about it. Files with
 * right checksums can still hold wrong numbers, and a reader of wrong numbers may throw, answer nonsense, or never end.
 *
 *   files ─ open ─ question ─ question ─ … ─ all answered ────────▶ served
 *             └───────┴──────────┴─ throws, nonsense, no end ─────▶ IndexError
 *
 * The thread reads the memory that all threads share, and loads no HTTP library, so it can be ended at any moment.
 */
import type { Worker } from 'node:worker_threads'
import { IndexError } from '../../indexes/format.ts'
import type { VersionFiles } from '../../indexes/load.ts'
import { startThread } from '../../platform/start-thread.ts'
import { reserveThreadNumber, ThreadTime } from '../../platform/thread-time.ts'
import type { Progress, TrialOptions } from './trial-worker.ts'

/**
 * The limits of a trial, measured from the first question: the thread's CPU time, and the time by the clock. A busy
 * machine, a throttled container or a cold disk makes a trial longer, but does not make it use more CPU time.
 */
const trialCpuMsMax = 5000
const trialMsMax = 60_000
const trialLookMs = 100
/** The trial of 115,316 cards takes 25 MB. */
const heapMegabytesMax = 1024

/** A thread for one version. It loads its modules at once, while the version is read. */
export class Trial {
  readonly #worker: Worker
  readonly #time: ThreadTime

  constructor({ isBesideRequests } = { isBesideRequests: false }) {
    const resourceLimits = { maxOldGenerationSizeMb: heapMegabytesMax, maxYoungGenerationSizeMb: 12 }
    const number = reserveThreadNumber()
    const workerData: TrialOptions = { number, isBesideRequests }
    this.#worker = startThread('./trial-worker', import.meta.url, { workerData, resourceLimits })
    this.#time = new ThreadTime(this.#worker, number)
    // Until `of` is called, the thread neither keeps the process alive nor reports errors.
    this.#worker.on('error', () => undefined).unref()
  }

  /**
   * Resolves when the version has answered all questions. Throws IndexError with one line that names the failed
   * question. In both cases the thread has ended.
   * @param where the version's path or address, for the message
   */
  async of(version: VersionFiles, where: string): Promise<void> {
    const worker = this.#worker
    const { promise, resolve, reject } = Promise.withResolvers<void>()
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
      if (progress.question === undefined) return resolve()
      if (question === undefined) begin()
      question = progress.question
    })
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('the thread ended')))
    try {
      worker.ref()
      worker.postMessage(version)
      await promise
    } catch (error) {
      const [reason] = (error as Error).message.split('\n', 1)
      throw new IndexError(`${where} fails its trial: ${question ?? 'starting'}: ${reason}`)
    } finally {
      clearInterval(look)
      await this.end()
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}

/** Tries a version in a thread of its own, as `Trial.of` does. Requests are answered meanwhile. */
export const tryVersion = (version: VersionFiles, where: string): Promise<void> =>
  new Trial({ isBesideRequests: true }).of(version, where)
