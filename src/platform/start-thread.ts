/** Starts threads that run modules of this project, and replaces those that end. */
import { extname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import type { Logger } from 'pino'

/**
 * The options of Node.js for threads, which replace the process's own options. So threads are alike in all processes,
 * even in tests, whose processes have a loader. The option hides the warning of Node.js 22 that its SQLite is
 * experimental.
 */
const execArgv = ['--disable-warning=ExperimentalWarning']

/**
 * Throws if the system can't start a thread.
 * @param module the module without its extension. It gets the caller's extension: .ts in a clone, .js in a package
 * @param from the caller's `import.meta.url`
 */
export const startThread = (module: string, from: string, options?: WorkerOptions): Worker =>
  new Worker(new URL(module + extname(from), from), { execArgv, ...options })

const delayMsFirst = 100
const delayMsMax = 10_000
/** If a thread ran for at least this long, its end counts as the first failure in a row. */
const stableMs = 60_000

export interface KeptThread {
  /** The thread's name in the log: `a server thread`. */
  readonly what: string
  readonly log: Logger
  /** Resolves when the thread has ended. Rejects if the system can't start one. */
  readonly start: () => Promise<void>
  /** Called when the thread has ended, or could not be started. Returns true if it must be replaced. */
  readonly onEnded: () => boolean
}

/** Starts a thread, and another one whenever the thread ends. The delay doubles with each failure in a row. */
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
