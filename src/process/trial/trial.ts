/**
 * Tries a version before it serves anyone: a spare thread opens it and answers fixed questions about it. Right checksums do not say
 * that what was written is right, and a reader of wrong numbers may throw, answer nonsense, or never end.
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

const trialMsMax = 5000
/** For each question but the first, which is to open the version. */
const questionMsMax = 1000
/** 115,316 cards take 25 MB. */
const heapMegabytesMax = 1024

/** A thread for one version. It loads its modules at once, while the version is read. */
export class Trial {
  readonly #worker: Worker

  constructor() {
    const resourceLimits = { maxOldGenerationSizeMb: heapMegabytesMax, maxYoungGenerationSizeMb: 12 }
    this.#worker = startThread('./trial-worker', import.meta.url, { resourceLimits })
    // Nobody waits for it yet.
    this.#worker.on('error', () => undefined).unref()
  }

  /**
   * Resolves when the version has answered. Throws IndexError, which names the question in one line. Then the thread has ended.
   * @param where its path or address, for the message
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
      // The first is to open it.
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

/** As `Trial.of`. */
export const tryVersion = (version: VersionFiles, where: string): Promise<void> => new Trial().of(version, where)
