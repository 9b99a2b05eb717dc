/**
 * Runs a download in a thread of its own with low priority, because it would take a second of CPU time from the server
 * threads on a machine without a spare core. The thread ends with the download.
 *
 *   supervisor ─ task ─▶ thread ─ lowers its priority ─ downloads, verifies, publishes ─▶ outcome ─▶ supervisor
 */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { fetchStopMsMax } from '../../limits.ts'
import { startThread } from '../../platform/start-thread.ts'
import { IndexError } from '../format.ts'
import type { Downloaded } from './download-version.ts'
import { RemotePointer } from './remote-pointer.ts'
import { WebFolder } from './web-folder.ts'

interface Task {
  readonly indexUrl: string
  readonly header: string | undefined
  readonly indexDir: string
}

type DownloadedVersion = Downloaded & { readonly version: string }
type Outcome = { readonly downloaded: DownloadedVersion } | { readonly error: string }

/** The same as of the pages' thread. */
const niceness = 10

/** Rejects with a one-line IndexError if the download fails, and with the signal's reason. */
export async function downloadInThread(task: Task, signal: AbortSignal): Promise<DownloadedVersion> {
  signal.throwIfAborted()
  const worker = startThread('./download-thread', import.meta.url, { workerData: { task } })
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  worker.once('message', resolve).once('error', reject)
  worker.once('exit', () => reject(new IndexError('the thread that fetches it has ended')))
  let late: NodeJS.Timeout | undefined
  const stop = () => {
    worker.postMessage('stop')
    late = setTimeout(() => reject(signal.reason), fetchStopMsMax)
  }
  signal.addEventListener('abort', stop)
  try {
    const outcome = await promise
    if ('error' in outcome) throw new IndexError(outcome.error)
    return outcome.downloaded
  } finally {
    signal.removeEventListener('abort', stop)
    clearTimeout(late)
    // Not awaited: the thread may hang on a disk that does not answer.
    worker.terminate()
  }
}

async function outcomeOf({ indexUrl, header, indexDir }: Task, signal: AbortSignal): Promise<Outcome> {
  try {
    return { downloaded: await new RemotePointer(new WebFolder(indexUrl, header)).download(indexDir, signal) }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

/** Ignores a system that forbids it, for example by a filter of system calls. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(niceness)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error
  }
}

if (parentPort !== null && workerData?.task !== undefined) {
  lowerPriority()
  const ending = new AbortController()
  parentPort.on('message', () => ending.abort(new IndexError('the server stops')))
  parentPort.postMessage(await outcomeOf(workerData.task as Task, ending.signal))
}
