/** Threads of the project's own modules. */
import { extname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** They run alike in all processes, those of tests with their loader too. SQLite is called experimental in Node.js 22. */
const execArgv = ['--disable-warning=ExperimentalWarning']

/**
 * Throws if the system gives no thread.
 * @param module without its extension: it is TypeScript in a clone and JavaScript in a package, as the caller is
 * @param from the caller's `import.meta.url`
 */
export const startThread = (module: string, from: string, options?: WorkerOptions): Worker =>
  new Worker(new URL(module + extname(from), from), { execArgv, ...options })
