/** The thread of read.ts: it reads a mirror, gives it and ends. */
import { parentPort, workerData } from 'node:worker_threads'
import { type MirrorTask, readMirrorFiles } from './mirror-reader.ts'

parentPort!.postMessage(await readMirrorFiles(workerData as MirrorTask))
