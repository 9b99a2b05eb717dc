/**
 * Loaded by --require into a server under test. Of every thread it writes what modules it loads to PROBE_DIR/loaded; and
 * where a file `throw` or `hang` appears, the thread of the pages throws from a timer, or never comes back.
 */
const { appendFileSync, existsSync, rmSync } = require('node:fs')
const { registerHooks } = require('node:module')
const { join } = require('node:path')
const { workerData } = require('node:worker_threads')

const folder = process.env.PROBE_DIR

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    appendFileSync(join(folder, 'loaded'), `${found.url}\n`)
    return found
  },
})

/** Whether the thread is told to. */
function isTold(order) {
  const file = join(folder, order)
  if (!existsSync(file)) return false
  rmSync(file)
  return true
}

if (workerData?.pages !== undefined) {
  setInterval(() => {
    if (isTold('throw')) throw new Error('this thread was made to end')
    if (isTold('hang')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }, 20).unref()
}
