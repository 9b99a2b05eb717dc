/** The spare thread of a trial. It reports each question before it asks it, and reports when all are answered. */
import { type MessagePort, parentPort } from 'node:worker_threads'
import type { VersionFiles } from '../../indexes/load.ts'
import { askAll } from './questions.ts'

/** The question that is asked next, or the reason why the last question failed. Neither if all are answered. */
export interface Progress {
  readonly question?: string
  readonly reason?: string
}

const owner = parentPort as MessagePort

owner.once('message', async (version: VersionFiles) => {
  const say = (progress: Progress) => owner.postMessage(progress)
  try {
    await askAll(version, (question) => say({ question }))
    say({})
  } catch (error) {
    say({ reason: (error as Error).message })
  }
})
