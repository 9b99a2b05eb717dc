/**
 * The CPU time of a thread, measured by another thread, because the thread itself may not respond.
 *
 *   Linux       the thread writes its number to shared memory, and /proc/self/task/NUMBER/stat has its CPU time
 *   elsewhere   the time in which its event loop was not idle: at least its CPU time, and more on a busy machine
 */
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import type { Worker } from 'node:worker_threads'

const ownPath = '/proc/thread-self'
const hasProc = existsSync(ownPath)
/** Linux counts a thread's CPU time in hundredths of a second, on all machines that Node.js runs on. */
const tickMs = 10
/** Where user and system time are in the fields after the thread's name. The name may contain blanks. */
const [userPlace, systemPlace] = [11, 12]

/** Memory for the number of one thread. It can be cloned into workerData. */
export const reserveThreadNumber = (): Int32Array => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

/** The thread calls this once, as soon as it runs. */
export function noteThreadNumber(number: Int32Array): void {
  if (hasProc) number[0] = Number(basename(readlinkSync(ownPath)))
}

export class ThreadTime {
  readonly #worker: Worker
  readonly #number: Int32Array
  /** The thread's number at `restart`. */
  #countedNumber = 0
  #from = 0

  /** @param number the memory that the thread passes to `noteThreadNumber` */
  constructor(worker: Worker, number: Int32Array) {
    this.#worker = worker
    this.#number = number
  }

  /** Counts from now on. */
  restart(): void {
    this.#countedNumber = this.#number[0]!
    this.#from = this.#read()
  }

  /** The thread's CPU time since `restart`, or since it noted its number, if that was later. */
  get ms(): number {
    if (this.#number[0] !== this.#countedNumber) this.restart()
    return this.#read() - this.#from
  }

  #read(): number {
    const number = this.#countedNumber
    // The thread is still loading its modules.
    if (number === 0 && hasProc) return 0
    if (number === 0) return this.#worker.performance.eventLoopUtilization().active
    let stat: string
    try {
      stat = readFileSync(`/proc/self/task/${number}/stat`, 'latin1')
    } catch {
      // The thread has ended.
      return this.#from
    }
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[userPlace]) + Number(fields[systemPlace])) * tickMs
  }
}
