/** Descriptors: each open file and each connection of a process takes one. */
import { readdirSync, readFileSync } from 'node:fs'
import { metricsConnectionsMax, pageConnectionsMax } from '../limits.ts'

/** How many descriptors are reserved for pages, metrics and files, so that callers of PORT can't use them. */
const descriptorsKept = pageConnectionsMax + metricsConnectionsMax + 100

/** How many descriptors the process may have open. Throws where the system does not say. @param pid or `self` */
export function descriptorsMax(pid: number | 'self'): number {
  const [, limit] = /^Max open files +(\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'latin1'))!
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit)
}

/** How many descriptors the process has open; undefined where the system does not say. @param pid or `self` */
export function descriptorsOpen(pid: number | 'self'): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return undefined
  }
}

/**
 * How many of `count` descriptors are for the connections of callers: those that are not reserved, but at least half.
 */
export const descriptorsForCallers = (count: number): number => Math.max(count - descriptorsKept, count / 2)
