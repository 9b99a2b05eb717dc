/** Loaded by --require into a server under test: where the file PROBE_FILE appears, one of its server threads fails. */
const { existsSync, rmSync } = require('node:fs')
const { isMainThread, workerData } = require('node:worker_threads')

if (!isMainThread && workerData?.settings !== undefined) {
  setInterval(() => {
    if (!existsSync(process.env.PROBE_FILE)) return
    rmSync(process.env.PROBE_FILE)
    throw new Error('this thread was made to end')
  }, 20).unref()
}
