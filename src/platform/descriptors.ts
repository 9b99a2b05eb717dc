/** File descriptors. Each open file and each connection of a process takes one. */
import { readdirSync, readFileSync } from 'node:fs'
import { metricsConnectionsMax, pageConnectionsMax } from '../limits.ts'

/** The number of descriptors reserved for pages, metrics and files. Callers of PORT can't use them. */
const descriptorsKept = pageConnectionsMax + metricsConnectionsMax + 100

/**
 * The most descriptors that the process may have open. Throws if the system does not report it.
 * @param pid or `self`
 */
export function descriptorsMax(pid: number | 'self'): number {
  const [, limit] = /^Max open files +(\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'latin1'))!
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit)
}

/**
 * The number of descriptors that the process has open; undefined if the system does not report it.
 * @param pid or `self`
 */
export function descriptorsOpen(pid: number | 'self'): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return undefined
  }
}

/** How many of `count` descriptors the connections of callers may use: all that are not reserved, but at least half. */
export const descriptorsForCallers = (count: number): number => Math.max(count - descriptorsKept, count / 2)
