/** The spare thread of a trial. It reports each question before it asks it, and reports when all are answered. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { VersionFiles } from '../../indexes/load.ts'
import { lowerPriority } from '../../platform/lower-priority.ts'
import { noteThreadNumber } from '../../platform/thread-time.ts'
import { askAll } from './questions.ts'

/** The question that is asked next, or the reason why the last question failed. Neither if all are answered. */
export interface Progress {
  readonly question?: string
  readonly reason?: string
}

/** A niceness with a quarter of a core, where a server thread wants all of it. */
const niceness = 5

export interface TrialOptions {
  /** See `noteThreadNumber`. */
  readonly number: Int32Array
  /** True if server threads answer requests meanwhile. They then go before the trial. */
  readonly isBesideRequests: boolean
}

const owner = parentPort as MessagePort
const { number, isBesideRequests } = workerData as TrialOptions
noteThreadNumber(number)
// Elsewhere, threads have no niceness of their own. A trial whose priority stays is as right.
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
