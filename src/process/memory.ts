/**
 * Gives the memory of a version back as soon as it is no longer served. Its bytes lie outside the heap, held by a few
 * small objects, so V8 alone would let several old versions pile up before it looks.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Less in and beside a thread's heap is not worth the time. */
const bytesMin = 64_000_000

/** What was held when there was least, or after the last collection. */
let bytesAfter = 0

/** Bytes in and beside the heap. It asks no file of the system, as process.memoryUsage does: that throws where there is no descriptor left. */
function held(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
  return heap + external
}

/** One full collection, a few milliseconds for each 10 MB of heap, when the current turn is over, if much has come since the last. */
export function releaseMemory(): void {
  setImmediate(() => {
    const before = held()
    bytesAfter = Math.min(bytesAfter, before)
    if (before - bytesAfter < bytesMin) return
    collect()
    bytesAfter = held()
  })
}
