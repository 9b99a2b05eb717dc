/**
 * Standard error, written without ever waiting for who reads it. What can't be written waits here, within a bound; what
 * has no place is dropped and counted, and the count is told when there is room again:
 *
 *   line ─▶ │ lines that wait, oldest first │ ─ pieces of whole lines ─▶ standard error
 *      └▶ dropped, if there is no place
 *
 * A piece has at most the bytes that a pipe takes whole or not at all, so that threads' lines never mix.
 */
import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { logBytesMax, logPieceBytesMax, logRetryMs } from '../limits.ts'

const standardError = 2
const lineEnd = 0x0a

/** Whole lines that are written together. */
interface Lines {
  readonly bytes: Buffer
  readonly count: number
}

type Outcome = 'written' | 'full' | 'lost'

export class LogOutput {
  readonly #descriptor = openWithoutWaiting()
  readonly #tellDropped: (lines: number) => void
  #waiting: Lines[] = []
  #bytes = 0
  /** Not told of yet. */
  #dropped = 0
  /** Until now. */
  droppedInAll = 0
  #timer: NodeJS.Timeout | undefined

  /** @param tellDropped called when lines that were dropped can be told of */
  constructor(tellDropped: (lines: number) => void) {
    this.#tellDropped = tellDropped
    process.on('exit', () => this.flush())
  }

  /**
   * @param text whole lines with their ends
   * @param count how many
   */
  write(text: string, count = 1): void {
    const bytes = Buffer.from(text)
    if (this.#bytes + bytes.length > logBytesMax) {
      this.#drop(count)
      return
    }
    this.#waiting.push({ bytes, count })
    this.#bytes += bytes.length
    if (this.#timer === undefined) this.flush()
  }

  /** Writes what can be written now. */
  flush(): void {
    let outcome: Outcome = 'lost'
    while (this.#waiting.length > 0 && outcome !== 'full') {
      outcome = this.#writePiece()
      if (outcome === 'written' && this.#bytes < logBytesMax / 2) this.#tell()
    }
    if (this.#waiting.length > 0) {
      this.#timer ??= setInterval(() => this.flush(), logRetryMs).unref()
    } else {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  #tell(): void {
    if (this.#dropped === 0) return
    const dropped = this.#dropped
    this.#dropped = 0
    this.#tellDropped(dropped)
  }

  #drop(count: number): void {
    this.#dropped += count
    this.droppedInAll += count
  }

  #writePiece(): Outcome {
    let taken = 1
    let { bytes, count } = this.#waiting[0]!
    let length = bytes.length
    while (taken < this.#waiting.length && length + this.#waiting[taken]!.bytes.length <= logPieceBytesMax) {
      length += this.#waiting[taken]!.bytes.length
      count += this.#waiting[taken++]!.count
    }
    if (taken > 1) bytes = Buffer.concat(this.#waiting.slice(0, taken).map((lines) => lines.bytes))
    try {
      const written = writeSync(this.#descriptor, bytes)
      this.#waiting.splice(0, taken)
      this.#bytes -= written
      // A piece that is longer than what is taken whole, or a socket: the rest goes first.
      if (written < length) this.#waiting.unshift(rest(bytes.subarray(written)))
      return 'written'
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EAGAIN' || code === 'EPIPE') return 'full'
      // The disk is full, say, and there is nowhere to tell it.
      this.#waiting.splice(0, taken)
      this.#bytes -= length
      this.#drop(count)
      return 'lost'
    }
  }
}

/** Lines of which the first may have been begun. */
const rest = (bytes: Buffer): Lines => ({ bytes, count: bytes.reduce((lines, byte) => lines + +(byte === lineEnd), 0) })

/**
 * A descriptor for standard error that does not wait. Where others may hold the same end, it is opened anew, since
 * whether a descriptor waits is then all holders' matter. A file never waits for a reader.
 */
function openWithoutWaiting(): number {
  if (fstatSync(standardError).isFile()) return standardError
  try {
    return openSync(`/proc/self/fd/${standardError}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_APPEND)
  } catch {
    // A socket, another user's pipe, or no Linux. Node itself makes its stream of a pipe or a socket one that does not wait.
    if (isMainThread) process.stderr
    return standardError
  }
}
