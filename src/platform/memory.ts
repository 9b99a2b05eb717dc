/**
 * Frees the memory of a version that is no longer served. The version's bytes are outside the heap, held by a few small
 * objects, so V8 alone would let several old versions pile up.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Freeing less than this is not worth the time. */
const bytesMin = 64_000_000

/** The bytes held after the last collection, or fewer if fewer were held since; 0 before the first collection. */
let bytesAfter = 0

/** Bytes in and outside the heap. process.memoryUsage reads a file, and throws if no descriptor is left. */
function held(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
  return heap + external
}

/**
 * After the present turn of the event loop, runs a full collection if much was allocated since the last collection. A
 * collection takes a few ms for each 10 MB of heap.
 */
export function releaseMemory(): void {
  setImmediate(() => {
    const before = held()
    bytesAfter = Math.min(bytesAfter, before)
    if (before - bytesAfter < bytesMin) return
    collect()
    bytesAfter = held()
  })
}
