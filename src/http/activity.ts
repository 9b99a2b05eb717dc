/**
 * What a server thread does, for its supervisor: a number in shared memory. While the thread answers a request, that is
 * the index of the request's route. The thread writes it, so it costs a request two stores. A thread that has lost
 * itself in a loop can't say what it does, but the supervisor can read it.
 */
import { patternOf } from '../api/routes.ts'
import { servedRoutes } from '../metrics/thread-counters.ts'

/** Neither a request is answered nor a version opened. */
export const idle = -1
export const opening = -2

export function newActivity(): Int32Array {
  const activity = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  activity[0] = idle
  return activity
}

/** What the thread does, for a message: `while it answered GET /v1/cards/:id/history`. */
export function activityText(activity: Int32Array): string {
  const number = activity[0]!
  if (number === opening) return 'while it opened a version'
  const route = servedRoutes[number]
  return route === undefined
    ? 'between two requests'
    : `while it answered ${route.method ?? 'GET'} ${patternOf(route.path)}`
}
