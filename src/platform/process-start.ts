/** Identifies a process by its id and start time, because the system reuses ids. */
import { readFileSync } from 'node:fs'

/**
 * When a process started, in clock ticks since the machine's start; '' for a process that has ended and was not waited for;
 * undefined if it can't be read.
 */
export function startOf(pid: number): string | undefined {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  // The program's name, in brackets, may contain anything. The state and plain numbers follow.
  const words = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return words[0] === 'Z' || words[0] === 'X' ? '' : words[19]
}

/** Whether the process that started then may still run. If no start can be read, only its id counts. */
export function isAlive(pid: number, start: string): boolean {
  const startNow = startOf(pid)
  if (startNow !== undefined) return startNow === start
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process can't be signalled.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
