/**
 * Brings what is published in a thread of its own, which gives way to those that answer callers: on a machine without a spare
 * core, a second of fetching and hashing would be theirs. It is there only as long as it has to do.
 *
 *   here ─ where from, where to ─▶ thread ─ nice ─ fetches, checks, publishes ─▶ what was brought, or why not ─▶ ended
 */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { fetchStopMsMax } from '../../limits.ts'
import { startThread } from '../../platform/start-thread.ts'
import { IndexError } from '../format.ts'
import type { Brought } from './download.ts'
import { RemotePointer } from './remote-pointer.ts'
import { WebFolder } from './web-folder.ts'

interface Task {
  readonly indexUrl: string
  readonly header: string | undefined
  readonly indexDir: string
}

type BroughtVersion = Brought & { readonly version: string }
type Outcome = { readonly brought: BroughtVersion } | { readonly wrong: string }

/** As the pages' thread. */
const niceness = 10

/** Rejects with IndexError, in one line, if it can't be brought, and when the signal comes. */
export async function downloadInThread(task: Task, signal: AbortSignal): Promise<BroughtVersion> {
  signal.throwIfAborted()
  const worker = startThread('./download-thread', import.meta.url, { workerData: { bringing: task } })
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
    if ('wrong' in outcome) throw new IndexError(outcome.wrong)
    return outcome.brought
  } finally {
    signal.removeEventListener('abort', stop)
    clearTimeout(late)
    // Not waited for: it waits for a disk that does not answer, and then has nothing to do.
    worker.terminate()
  }
}

async function outcomeOf({ indexUrl, header, indexDir }: Task, signal: AbortSignal): Promise<Outcome> {
  try {
    return { brought: await new RemotePointer(new WebFolder(indexUrl, header)).bring(indexDir, signal) }
  } catch (error) {
    return { wrong: (error as Error).message }
  }
}

/** Where the system forbids that (a filter of calls does), it fetches as it is. */
function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(niceness)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error
  }
}

if (parentPort !== null && workerData?.bringing !== undefined) {
  giveWay()
  const ending = new AbortController()
  parentPort.on('message', () => ending.abort(new IndexError('the server stops')))
  parentPort.postMessage(await outcomeOf(workerData.bringing as Task, ending.signal))
}
