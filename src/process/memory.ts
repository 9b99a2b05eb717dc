/**
 * Gives the memory of a version back as soon as it is no longer served. Its bytes lie outside the heap, held by a few
 * small objects, so V8 alone would let several old versions pile up before it looks.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Less in and beside a thread's heap is not worth the time. */
const bytesMin = 64_000_000

/** One full collection, a few milliseconds for each 10 MB of heap, when the current turn is over, if there is much to give back. */
export function releaseMemory(): void {
  setImmediate(() => {
    const { heapUsed, external } = process.memoryUsage()
    if (heapUsed + external > bytesMin) collect()
  })
}
