/**
 * A number in shared memory that tells the supervisor what a server thread does. While the thread answers a request,
 * the number is the index of the request's route. It costs each request two stores. A thread in an endless loop can't
 * report anything itself, but the supervisor can still read the number.
 */
import { patternOf } from '../api/routes.ts'
import { servedRoutes } from '../metrics/thread-counters.ts'

/** The thread neither answers a request nor opens a version. */
export const idle = -1
export const opening = -2

export function newActivity(): Int32Array {
  const activity = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  activity[0] = idle
  return activity
}

/** Returns the thread's activity as a part of a message: `while it answered GET /v1/cards/:id/history`. */
export function activityText(activity: Int32Array): string {
  const number = activity[0]!
  if (number === opening) return 'while it opened a version'
  const route = servedRoutes[number]
  return route === undefined
    ? 'between two requests'
    : `while it answered ${route.method ?? 'GET'} ${patternOf(route.path)}`
}
