/** Starts threads that run modules of this project. */
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
