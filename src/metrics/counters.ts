/**
 * The memory in which a server thread counts what it answers: a block of cells for each seat among the threads. The thread
 * alone writes them, and the main thread reads them when somebody asks; who takes the seat of a thread that ended counts
 * on in its block, so nothing counted is lost with a thread.
 *
 *   answers    │ route 0 │ route 1 │ …     requests answered: one cell for route, status and how long it took
 *                 └─ status 200 │ 204 │ 304 │ 400 │ …
 *                       └─ at most 10 µs │ at most 25 µs │ … │ longer
 *   answerMs   by route: how long they took together       searches, searchMs   the same of searches, for one
 *   pages, keyRefusals, quotaRefusals, logDropped           what is counted beside
 *   connections, downloads, loopMs                          what is so at the moment; they are those of the thread
 *
 * A request raises one cell of `answers`, and its histogram and the counts by status are sums over the same cells, read
 * once: so they agree at every moment, without a lock. A cell is a float64, whole up to 2^53, in eight bytes at a place that
 * is a multiple of eight: V8 writes it by one store, which x86-64 and arm64 make at once, so it is never read half written.
 */
import { keyRefusals } from '../accounts/authenticator.ts'
import { pageCounts } from '../api/page-cache.ts'
import { problemCodes, statusOf } from '../api/problems.ts'
import { patternOf, routes } from '../api/routes.ts'
import { planNames } from '../plans.ts'

/** What requests to no route are counted under. */
const otherRoute = 'other'
export const routeLabels: readonly string[] = [...new Set(routes.map(({ path }) => patternOf(path))), otherRoute]
export const routeNumber = (pattern: string): number => routeLabels.indexOf(pattern)
export const otherNumber = routeNumber(otherRoute)

/** All that an answer can have. */
export const statuses: readonly number[] = [...new Set([200, 204, 304, ...problemCodes.map(statusOf)])].sort(
  (a, b) => a - b,
)

/** What durations are told apart by: each is counted in the first that is not below it, longer ones behind the last. */
export const bucketMsMax = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 5000,
] as const
export const bucketCount = bucketMsMax.length + 1

/** Of the delays of a thread's event loop. */
export const loopQuantiles = [0.5, 0.99, 1] as const

/** How many cells each part has. */
const parts = {
  answers: routeLabels.length * statuses.length * bucketCount,
  answerMs: routeLabels.length,
  searches: bucketCount,
  searchMs: 1,
  pages: pageCounts.length,
  keyRefusals: keyRefusals.length,
  quotaRefusals: planNames.length,
  logDropped: 1,
  connections: 1,
  downloads: 1,
  loopMs: loopQuantiles.length,
} as const
type Part = keyof typeof parts

/** Those that a new thread begins anew. */
const momentary: readonly Part[] = ['connections', 'downloads', 'loopMs']

const blockBytes = Object.values(parts).reduce((sum, cells) => sum + cells, 0) * Float64Array.BYTES_PER_ELEMENT

/** A block for each seat; they can be cloned into workerData. */
export const reserveBlocks = (seats: number): SharedArrayBuffer[] =>
  Array.from({ length: seats }, () => new SharedArrayBuffer(blockBytes))

/** A block's cells, by part. */
export type Cells = Readonly<Record<Part, Float64Array>>

export function cellsOf(block: SharedArrayBuffer): Cells {
  let at = 0
  const entries = Object.entries(parts).map(([part, size]) => {
    const cells = new Float64Array(block, at, size)
    at += cells.byteLength
    return [part, cells] as const
  })
  return Object.fromEntries(entries) as Record<Part, Float64Array>
}

/** The same for the thread that takes the seat. */
export function takeOverCells(block: SharedArrayBuffer): Cells {
  const cells = cellsOf(block)
  for (const part of momentary) cells[part].fill(0)
  return cells
}

/** Where the durations of a route's answers of a status begin in `answers`. @param status its place in `statuses` */
export const answersAt = (route: number, status: number): number => (route * statuses.length + status) * bucketCount

/** The bucket of a duration: most are short, so it is looked for from below. */
export function bucketOf(ms: number): number {
  let bucket = 0
  while (bucket < bucketMsMax.length && ms > bucketMsMax[bucket]!) bucket++
  return bucket
}
