/** The spare thread of a trial. It reports each question before it asks the question, and reports the end of all. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { VersionFiles } from '../../indexes/load.ts'
import { lowerPriority } from '../../platform/lower-priority.ts'
import { noteThreadNumber } from '../../platform/thread-time.ts'
import { askAll } from './questions.ts'

/** The next question, or the reason why the last question failed. Both are absent once all questions are answered. */
export interface Progress {
  readonly question?: string
  readonly reason?: string
}

/** At this niceness, the trial gets a quarter of a core that a server thread wants for itself. */
const niceness = 5

export interface TrialOptions {
  /** See `noteThreadNumber`. */
  readonly number: Int32Array
  /** True if server threads answer requests meanwhile. Then the trial gets a lower priority than they have. */
  readonly isBesideRequests: boolean
}

const owner = parentPort as MessagePort
const { number, isBesideRequests } = workerData as TrialOptions
noteThreadNumber(number)
// Only Linux has a niceness for each thread. The trial is correct without it, too.
if (isBesideRequests && process.platform === 'linux') lowerPriority(niceness)

owner.once('message', async (version: VersionFiles) => {
  const say = (progress: Progress) => owner.postMessage(progress)
  try {
    await askAll(version, (question) => say({ question }))
    say({})
  } catch (error) {
    say({ reason: (error as Error).message })
  }
})
