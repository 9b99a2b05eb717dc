/**
 * Who serves a store. A store is one running server's: whoever serves it has noted itself in the store, and it is
 * passed over only when it is known to be dead. Several tries at once are told apart by the store's transactions.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { startOf } from '../process/process-start.ts'

export interface ServerNote {
  readonly pid: number
  /** Where `pid` means this process: the machine's start and its process namespace; '' where the system tells neither. */
  readonly place: string
  /** The process's own start, so that another one that was given its number is told from it; '' as above. */
  readonly started: string
  /** The name of its control socket. */
  readonly socket: string
}

export const noteOfThisProcess = (socket: string): ServerNote => ({
  pid: process.pid,
  place: placeHere(),
  started: startOf(process.pid) ?? '',
  socket,
})

export const isServerNote = (value: ServerNote): boolean =>
  Number.isSafeInteger(value?.pid) &&
  [value.place, value.started, value.socket].every((text) => typeof text === 'string')

export const isSameServer = (a: ServerNote | undefined, b: ServerNote | undefined): boolean =>
  a?.pid === b?.pid && a?.place === b?.place && a?.started === b?.started && a?.socket === b?.socket

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
