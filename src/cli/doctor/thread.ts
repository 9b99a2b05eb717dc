/** The doctor's thread. */
import { parentPort } from 'node:worker_threads'
import { examine } from './examine.ts'

await examine((message) => parentPort!.postMessage(message))
