/**
 * Runs a download in a thread of its own with low priority, because it would take a second of CPU time from the server
 * threads on a machine without a spare core. The thread ends with the download, or when the server stops: the next one resumes it.
 */
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { startThread } from '../../platform/start-thread.ts'
import { type DownloadedVersion, RemotePointer } from './remote-pointer.ts'
import { WebFolder } from './web-folder.ts'

interface Task {
  readonly indexUrl: string
  readonly header: string | undefined
  readonly indexDir: string
}

/** The same as of the pages' thread. */
const niceness = 10

/** Rejects with a one-line Error if the download fails, and when the signal is aborted. */
export async function downloadInThread(task: Task, signal: AbortSignal): Promise<DownloadedVersion> {
  const worker = startThread('./download-thread', import.meta.url, { workerData: { task } })
  try {
    const [downloaded] = await once(worker, 'message', { signal })
    return downloaded
  } finally {
    // Not awaited: the thread may hang on a disk that does not answer.
    worker.terminate()
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
  const { indexUrl, header, indexDir } = workerData.task as Task
  parentPort.postMessage(await new RemotePointer(new WebFolder(indexUrl, header)).download(indexDir))
}
