/**
 * Profiles a server's threads. It is loaded into the server by `--import`, and loads itself into each thread. SIGUSR2
 * starts the profiler in all threads. The next SIGUSR2 stops it, and each thread writes `thread-N.cpuprofile` into
 * PROFILE_DIR.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { BroadcastChannel, isMainThread, threadId, type Worker, type WorkerOptions } from 'node:worker_threads'

const channelName = 'profile'
/** The sampling interval in µs. It is long compared with the cost of a sample. */
const samplingUs = 200
const channel = new BroadcastChannel(channelName)
channel.unref()

if (isMainThread) {
  // The server starts its threads with execArgv of its own, so they do not inherit --import.
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

/** Writes the profile, and renames the file once it is complete. */
function write(error: Error | null, profile: object): void {
  if (error !== null) throw error
  const file = join(process.env['PROFILE_DIR']!, `thread-${threadId}.cpuprofile`)
  writeFileSync(`${file}.new`, JSON.stringify(profile))
  renameSync(`${file}.new`, file)
}
