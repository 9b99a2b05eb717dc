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
import type { Progress } from './trial-worker.ts'

/** The limit of the whole trial, from the first question on. */
const trialMsMax = 5000
/** The limit of each question except the first, which opens the version. */
const questionMsMax = 1000
/** 115,316 cards take 25 MB. */
const heapMegabytesMax = 1024

/** A thread for one version. It loads its modules at once, while the version is read. */
export class Trial {
  readonly #worker: Worker

  constructor() {
    const resourceLimits = { maxOldGenerationSizeMb: heapMegabytesMax, maxYoungGenerationSizeMb: 12 }
    this.#worker = startThread('./trial-worker', import.meta.url, { resourceLimits })
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
    const within = (ms: number) => setTimeout(() => reject(new Error(`not answered in ${ms / 1000} s`)), ms)
    let question: string | undefined
    let [last, next]: (NodeJS.Timeout | undefined)[] = []
    worker.on('message', (progress: Progress) => {
      clearTimeout(next)
      if (progress.reason !== undefined) return reject(new Error(progress.reason))
      if (progress.question === undefined) return resolve()
      // The first question opens the version, and may take as long as the whole trial.
      if (question === undefined) last = within(trialMsMax)
      else next = within(questionMsMax)
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
      clearTimeout(last)
      clearTimeout(next)
      await this.end()
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}

/** Tries a version in a thread of its own, as `Trial.of` does. */
export const tryVersion = (version: VersionFiles, where: string): Promise<void> => new Trial().of(version, where)
