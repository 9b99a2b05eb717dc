/**
 * Frees the memory of a version that is no longer served. The version's bytes are outside the heap, and only a few
 * small objects refer to them. So V8 alone would let the bytes of several old versions accumulate.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** A collection that would free less than this is not worth its time. */
const bytesMin = 64_000_000

/** The number of bytes after the last collection, or the lowest number seen since. 0 before the first collection. */
let bytesAfter = 0

/**
 * The number of bytes in and outside the heap. process.memoryUsage is not used: it reads a file, and throws if no
 * descriptor is left.
 */
function held(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
  return heap + external
}

/**
 * After the current turn of the event loop, runs a full collection if much was allocated since the last one. A
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
