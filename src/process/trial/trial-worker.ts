/** The spare thread: tells each question before it is asked, and the end. */
import { type MessagePort, parentPort } from 'node:worker_threads'
import type { VersionFiles } from '../../indexes/load.ts'
import { askAll } from './questions.ts'

/** The question that is asked next, or why the last one failed; neither when all are answered. */
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
