/**
 * Gives the memory of a version back as soon as it is no longer served. Its bytes lie outside the heap, held by a few
 * small objects, so V8 alone would let several old versions pile up before it looks.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** One full collection, a few milliseconds for each 10 MB of heap, when the current turn is over. */
export function releaseMemory(): void {
  setImmediate(collect)
}
