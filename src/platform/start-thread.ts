/** Starts threads that run modules of this project, and replaces those that end. */
import { extname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import type { Logger } from 'pino'

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

export interface KeptThread {
  /** For the log: `a server thread`. */
  readonly what: string
  readonly log: Logger
  /** Resolves when the thread has ended. Rejects if the system can't start one. */
  readonly start: () => Promise<void>
  /** Called when it ended or could not be started. Returns whether it is replaced. */
  readonly onEnded: () => boolean
}

/** Starts a thread, and another one whenever it ends, later with each failure in a row. */
export async function keepRunning(thread: KeptThread, failuresInARow = 0): Promise<void> {
  const { what, log, start, onEnded } = thread
  const startedAt = performance.now()
  try {
    await start()
  } catch (error) {
    log.error({ err: error }, `${what} could not be started`)
  }
  if (!onEnded()) return
  const failures = performance.now() - startedAt >= stableMs ? 1 : failuresInARow + 1
  const delay = Math.min(delayMsFirst * 2 ** (failures - 1), delayMsMax)
  log.warn({ delay }, `${what} ended and is replaced`)
  setTimeout(() => keepRunning(thread, failures), delay).unref()
}
