/**
 * Loaded by --require into a server under test (--import does not reach its threads): makes the threads mortal. Each
 * server thread is a file `alive-<id>` in MORTAL_DIR; where a file `kill-<id>` appears, that thread throws from a timer,
 * which nobody catches; where a file `hang-<id>` appears, it does nothing else until that is gone.
 */
const { existsSync, rmSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const { threadId, workerData } = require('node:worker_threads')

const alive = join(process.env.MORTAL_DIR, `alive-${threadId}`)
const hang = join(process.env.MORTAL_DIR, `hang-${threadId}`)
const order = join(process.env.MORTAL_DIR, `kill-${threadId}`)

const nothing = new Int32Array(new SharedArrayBuffer(4))

function look() {
  if (process.listenerCount('uncaughtException') === 0) return
  if (!existsSync(alive)) writeFileSync(alive, '')
  while (existsSync(hang)) Atomics.wait(nothing, 0, 0, 10)
  if (!existsSync(order)) return
  rmSync(order)
  rmSync(alive)
  throw new Error('this thread was made to end')
}

// The main thread serves nobody.
if (workerData?.settings !== undefined) setInterval(look, 50).unref()
