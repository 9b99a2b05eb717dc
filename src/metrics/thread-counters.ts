/**
 * The memory in which a server thread counts its responses: a block of cells for each slot of a thread. Only that
 * thread writes the block, and the main thread reads it at a scrape. A replacement thread continues in the block of its
 * slot, so no count is lost when a thread ends.
 *
 *   answers    │ route 0 │ route 1 │ …     responses: one cell for each route, status and duration
 *                 └─ status 200 │ 204 │ 304 │ 400 │ …
 *                       └─ at most 10 µs │ at most 25 µs │ … │ longer
 *   answerMs   the sum of durations, by route              searches, searchMs   the same for searches
 *   pages, keyRefusals, quotaRefusals, logDropped           other counters
 *   connections, downloads, loopMs                          gauges of the current thread
 *
 * A response increments one cell of `answers`. The histogram and the counts by status are sums over the same cells,
 * read once. So they always agree, without a lock. A cell is an aligned float64, exact up to 2^53. V8 writes it by one
 * store, which is atomic on x86-64 and arm64, so no reader sees half of it.
 */
import { keyRefusals } from '../accounts/authenticator.ts'
import { pageCounts } from '../api/page-cache.ts'
import { problemCodes, statusOf } from '../api/problems.ts'
import type { ServedRoute } from '../api/route-row.ts'
import { patternOf, routes } from '../api/routes.ts'
import { planNames } from '../plans.ts'
import { tcglookupRoutes } from '../tcglookup/routes.ts'

/** The label of requests that match no route. */
const otherRoute = 'other'
export const servedRoutes: readonly ServedRoute[] = [...routes, ...tcglookupRoutes]
export const routeLabels: readonly string[] = [...new Set(servedRoutes.map(({ path }) => patternOf(path))), otherRoute]
export const routeNumber = (pattern: string): number => routeLabels.indexOf(pattern)
export const otherNumber = routeNumber(otherRoute)

/** All statuses that a response can have. */
export const statuses: readonly number[] = [...new Set([200, 204, 304, ...problemCodes.map(statusOf)])]

/** Upper bounds of the duration buckets. Longer durations have one more bucket. */
export const bucketMsMax = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 5000,
] as const
export const bucketCount = bucketMsMax.length + 1

/** The quantiles of event-loop delays. */
export const loopQuantiles = [0.5, 0.99, 1] as const

/** The number of cells of each part. */
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

/** A new thread sets these to 0. */
const gauges: readonly Part[] = ['connections', 'downloads', 'loopMs']

const blockBytes = Object.values(parts).reduce((sum, cells) => sum + cells, 0) * Float64Array.BYTES_PER_ELEMENT

/** Makes a block for each slot. Blocks can be cloned into workerData. */
export const reserveBlocks = (slots: number): SharedArrayBuffer[] =>
  Array.from({ length: slots }, () => new SharedArrayBuffer(blockBytes))

/** The cells of a block, by part. */
export type ThreadCounters = Readonly<Record<Part, Float64Array>>

export function countersOf(block: SharedArrayBuffer): ThreadCounters {
  let at = 0
  const entries = Object.entries(parts).map(([part, size]) => {
    const cells = new Float64Array(block, at, size)
    at += cells.byteLength
    return [part, cells] as const
  })
  return Object.fromEntries(entries) as Record<Part, Float64Array>
}

/** The cells of a slot, for the slot's new thread. */
export function takeOverCounters(block: SharedArrayBuffer): ThreadCounters {
  const cells = countersOf(block)
  for (const part of gauges) cells[part].fill(0)
  return cells
}

/** The index in `answers` of the first bucket of a route and a status. @param status the status' index in `statuses` */
export const answersAt = (route: number, status: number): number => (route * statuses.length + status) * bucketCount

/** The index of a duration's bucket. Most durations are short, so the search starts at the shortest. */
export function bucketOf(ms: number): number {
  let bucket = 0
  while (bucket < bucketMsMax.length && ms > bucketMsMax[bucket]!) bucket++
  return bucket
}
