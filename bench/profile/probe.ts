/**
 * Loaded into the server before it begins (`--import`), and from there into each of its threads: at SIGUSR2 all threads
 * begin to be profiled, at the next one each writes what was seen to PROFILE_DIR, as `thread-N.cpuprofile`.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { BroadcastChannel, isMainThread, threadId, type Worker, type WorkerOptions } from 'node:worker_threads'

const channelName = 'profile'
/** Short beside a request, long beside the cost of a sample. */
const samplingUs = 200
const channel = new BroadcastChannel(channelName)
channel.unref()

if (isMainThread) {
  // The server starts its threads without any options of Node.js.
  const threads = createRequire(import.meta.url)('node:worker_threads') as { Worker: typeof Worker }
  threads.Worker = class extends threads.Worker {
    constructor(file: string | URL, options: WorkerOptions = {}) {
      super(file, { ...options, execArgv: [...(options.execArgv ?? []), '--import', import.meta.url] })
    }
  }
  syncBuiltinESMExports()
  process.on('SIGUSR2', () => channel.postMessage('turn'))
} else {
  const session = new Session()
  let isProfiling = false
  session.connect()
  channel.onmessage = () => {
    if (isProfiling) session.post('Profiler.stop', (error, { profile }) => write(error, profile))
    else {
      session.post('Profiler.enable')
      session.post('Profiler.setSamplingInterval', { interval: samplingUs })
      session.post('Profiler.start')
    }
    isProfiling = !isProfiling
  }
}

/** Whole, or not under its name yet. */
function write(error: Error | null, profile: object): void {
  if (error !== null) throw error
  const file = join(process.env['PROFILE_DIR']!, `thread-${threadId}.cpuprofile`)
  writeFileSync(`${file}.new`, JSON.stringify(profile))
  renameSync(`${file}.new`, file)
}
