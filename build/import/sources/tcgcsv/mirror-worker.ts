/** The thread of source.ts: it sends a mirror's groups in batches while it reads others, then the summary. */
import { parentPort, workerData } from 'node:worker_threads'
import { type MirrorGroup, type MirrorTask, readMirrorFiles } from './mirror-reader.ts'

const batchGroups = 20

let groups: MirrorGroup[] = []
const mirror = await readMirrorFiles(workerData as MirrorTask, (group) => {
  groups.push(group)
  if (groups.length < batchGroups) return
  parentPort!.postMessage(groups)
  groups = []
})
parentPort!.postMessage(groups)
parentPort!.postMessage(mirror)
