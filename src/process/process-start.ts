/** A process is told by its number and its start: numbers are given again. */
import { readFileSync } from 'node:fs'

/**
 * When a process started (clock ticks since the machine did), '' if it has ended and nobody has asked how, undefined if
 * that can't be read.
 */
export function startOf(pid: number): string | undefined {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  // The name of the program, in brackets, may hold anything; from the state on there are plain words.
  const words = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return words[0] === 'Z' || words[0] === 'X' ? '' : words[19]
}

/** True for a process that may still be the one that started then. Where no start can be read, its number alone tells. */
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
