/**
 * The spare thread of a trial. It loads the version that its owner names. When it is told to go on, it reports each
 * question before it asks the question. A last report says that all are answered.
 */
import { once } from 'node:events'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { VersionFiles } from '../../indexes/load.ts'
import { lowerPriority } from '../../platform/lower-priority.ts'
import { noteThreadNumber } from '../../platform/thread-time.ts'

export interface Load {
  readonly indexDir: string
  readonly version: string
}

/** The version in shared memory, or the reason why it can't be loaded. */
export interface Loaded {
  readonly loaded?: VersionFiles
  readonly reason?: string
}

/** The next question, or the reason why the last question failed. Both are absent once all questions are answered. */
export interface Progress {
  readonly question?: string
  readonly reason?: string
}

/** At this niceness, the thread gets a quarter of a core while a server thread wants the whole core. */
const niceness = 5

export interface TrialOptions {
  /** See `noteThreadNumber`. */
  readonly number: Int32Array
  /** True if server threads answer requests meanwhile. Then the thread gets a lower priority than they have. */
  readonly isBesideRequests: boolean
}

const owner = parentPort as MessagePort
const { number, isBesideRequests } = workerData as TrialOptions
noteThreadNumber(number)
// Only Linux has a niceness for each thread. The trial is correct without it, too.
if (isBesideRequests && process.platform === 'linux') lowerPriority(niceness)

const told = async (): Promise<unknown> => (await once(owner, 'message'))[0]
const say = (progress: Loaded | Progress) => owner.postMessage(progress)

// Other modules are imported only now, at the lower priority, and each when it is needed.
try {
  const { loadVersion } = await import('../../indexes/load.ts')
  const { indexDir, version } = (await told()) as Load
  const loaded = await loadVersion(indexDir, version)
  say({ loaded })
  await told()
  const { askAll } = await import('./questions.ts')
  await askAll(loaded, (question) => say({ question }))
  say({})
} catch (error) {
  say({ reason: (error as Error).message })
}
