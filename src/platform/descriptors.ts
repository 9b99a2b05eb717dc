/** Descriptors: each open file and each connection of a process takes one. */
import { readdirSync, readFileSync } from 'node:fs'
import { descriptorsKept } from '../limits.ts'

/** How many the process may have open. Throws where the system does not say. @param pid or `self` */
export function descriptorsMax(pid: number | 'self'): number {
  const [, limit] = /^Max open files +(\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'latin1'))!
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit)
}

/** How many it has open. Throws where the system does not say. @param pid or `self` */
export const descriptorsOpen = (pid: number | 'self'): number => readdirSync(`/proc/${pid}/fd`).length

/** Of so many, those for the connections of callers. With few, half of them. */
export const descriptorsForCallers = (count: number): number => Math.max(count - descriptorsKept, count / 2)
