/** The sums of all slots' counters, read once per scrape, so that all metrics of a scrape agree. */
import { statusOf } from '../api/problems.ts'
import { patternOf, problemsOf } from '../api/routes.ts'
import type { ApiForm } from '../settings.ts'
import { answersAt, bucketCount, servedRoutes, statuses, type ThreadCounters } from './thread-counters.ts'

/** The number of durations in each bucket, and the sum of all durations in ms. */
export interface Durations {
  readonly buckets: Float64Array
  readonly ms: number
}

export class Readings {
  readonly slots: readonly ThreadCounters[]
  readonly #answers: Float64Array
  readonly #answerMs: Float64Array

  /** @param slots at least one */
  constructor(slots: readonly ThreadCounters[]) {
    this.slots = slots
    this.#answers = this.sums('answers')
    this.#answerMs = this.sums('answerMs')
  }

  sums(part: keyof ThreadCounters): Float64Array {
    const sums = new Float64Array(this.slots[0]![part].length)
    for (const { [part]: cells } of this.slots) for (let i = 0; i < sums.length; i++) sums[i]! += cells[i]!
    return sums
  }

  requests(route: number, status: number): number {
    return this.#buckets(route, status).reduce((sum, count) => sum + count, 0)
  }

  durations(route: number): Durations {
    const buckets = new Float64Array(bucketCount)
    for (const status of statuses.keys()) {
      for (const [i, count] of this.#buckets(route, status).entries()) buckets[i]! += count
    }
    return { buckets, ms: this.#answerMs[route]! }
  }

  searches(): Durations {
    return { buckets: this.sums('searches'), ms: this.sums('searchMs')[0]! }
  }

  #buckets(route: number, status: number): Float64Array {
    const at = answersAt(route, status)
    return this.#answers.subarray(at, at + bucketCount)
  }
}

/**
 * The statuses that a route can respond with. Their series exist from the start, because Prometheus does not see the
 * first event of a new series as an increase.
 * @param label one of `routeLabels`
 */
export function expectedStatuses(label: string, form: ApiForm): ReadonlySet<number> {
  const ofPath = servedRoutes.filter(({ path }) => patternOf(path) === label)
  if (ofPath.length === 0) return new Set([statusOf('NOT_FOUND')])
  const problems = ofPath.flatMap((route) => problemsOf(route, form)).map(statusOf)
  const unchanged = ofPath.some(({ method, plan }) => method === 'GET' && plan !== undefined) ? [304] : []
  return new Set([200, 204, ...unchanged, statusOf('METHOD_NOT_ALLOWED'), ...problems])
}
