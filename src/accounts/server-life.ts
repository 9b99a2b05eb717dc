/**
 * Whether the server that has noted itself in a store lives. A store is one running server's: it is passed over only when
 * it is known to be dead. Several tries at once are told apart by the store's transactions.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { startOf } from '../process/process-start.ts'
import type { ServerNote } from '../store/records.ts'

export const noteOfThisProcess = (socket: string): ServerNote => ({
  pid: process.pid,
  place: placeHere(),
  started: startOf(process.pid) ?? '',
  socket,
})

/** What the system says of it. `unknown` where it can't tell, as of a process in another container. */
export function lifeOf({ pid, place, started }: ServerNote): 'lives' | 'gone' | 'unknown' {
  const here = placeHere()
  if (place !== here) return 'unknown'
  if (here !== '') {
    const now = startOf(pid)
    if (now !== undefined) return now === started ? 'lives' : 'gone'
  }
  try {
    process.kill(pid, 0)
    return 'unknown'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? 'gone' : 'unknown'
  }
}

function placeHere(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return ''
  }
}
