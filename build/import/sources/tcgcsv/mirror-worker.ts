/** The thread of read.ts: it gives a mirror's groups some at a time, so that they arrive while others are read, and then the rest. */
import { parentPort, workerData } from 'node:worker_threads'
import { type MirrorGroup, type MirrorTask, readMirrorFiles } from './mirror-reader.ts'

const groupsAtOnce = 20

let groups: MirrorGroup[] = []
const mirror = await readMirrorFiles(workerData as MirrorTask, (group) => {
  groups.push(group)
  if (groups.length < groupsAtOnce) return
  parentPort!.postMessage(groups)
  groups = []
})
parentPort!.postMessage(groups)
parentPort!.postMessage(mirror)
