/** Starts threads that run modules of this project, and says when one that ended is replaced. */
import { extname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** The same in all processes, even in tests with their loader. Node.js 22 calls its SQLite experimental. */
const execArgv = ['--disable-warning=ExperimentalWarning']

/**
 * Throws if the system can't start a thread.
 * @param module without its extension, which is the caller's: .ts in a clone, .js in a package
 * @param from the caller's `import.meta.url`
 */
export const startThread = (module: string, from: string, options?: WorkerOptions): Worker =>
  new Worker(new URL(module + extname(from), from), { execArgv, ...options })

const delayMsFirst = 100
const delayMsMax = 10_000
/** A thread that ran this long starts a new row of failures. */
const stableMs = 60_000

/** The delay before a thread is replaced, which grows with each failure in a row. */
export class Restarts {
  #failuresInARow = 0

  /** In ms. @param ranMs how long the thread ran; 0 if it could not be started */
  delayAfter(ranMs: number): number {
    this.#failuresInARow = ranMs >= stableMs ? 1 : this.#failuresInARow + 1
    return Math.min(delayMsFirst * 2 ** (this.#failuresInARow - 1), delayMsMax)
  }
}
