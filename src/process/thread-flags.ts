/** What threads are started with: they run alike in all processes, those of tests with their loader too. */
import { fileURLToPath } from 'node:url'

/** For `execArgv`: without it a thread has the flags of its process. */
export const threadFlags = [
  // SQLite is called experimental in Node.js 22.
  '--disable-warning=ExperimentalWarning',
  '--require',
  fileURLToPath(new URL('./stripped.cjs', import.meta.url)),
]
