/**
 * Frees the memory of a version that is no longer served. The version's bytes are in shared memory, which V8 does not
 * count, and only a few small objects refer to them. So V8 alone would let the bytes of several old versions
 * accumulate.
 */
import { getHeapStatistics } from 'node:v8'

/** A collection that would free less than this is not worth its time. */
const bytesMin = 64_000_000

/** When memory outside the heap grows by more than 64 MB, V8 starts a collection that works in small steps. */
const noticedBytes = 128_000_000

/** The bytes when the last collection began, or the lowest number seen since. 0 before the first collection. */
let bytesThen = 0

/** The bytes of shared memory that this thread has stopped using since the last collection. */
let sharedReleased = 0

/**
 * The number of bytes in and outside the heap, without shared memory. process.memoryUsage is not used: it reads a file,
 * and throws if no descriptor is left.
 */
function held(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
  return heap + external
}

/**
 * After the current turn of the event loop, starts a full collection if it may free much: what was allocated since the
 * last collection, and shared memory. It ends within a second. Requests wait for its steps, but not for all of it.
 * @param shared the bytes of shared memory that this thread no longer uses
 */
export function releaseMemory(shared = 0): void {
  sharedReleased += shared
  setImmediate(() => {
    const bytes = held()
    bytesThen = Math.min(bytesThen, bytes)
    if (bytes - bytesThen + sharedReleased < bytesMin) return
    startCollection()
    bytesThen = bytes
    sharedReleased = 0
  })
}

/**
 * Makes V8 start a collection: a buffer that nobody writes to takes no memory, but V8 counts it. The function `gc` of
 * V8 would do all work at once, which stopped requests for 15 to 30 ms.
 */
function startCollection(): void {
  try {
    new ArrayBuffer(noticedBytes)
  } catch {
    // The system's limit of addresses is reached. V8 has then collected all it could.
  }
}
