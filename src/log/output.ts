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

type Outcome = 'written' | 'full' | 'lost'

export class LogOutput {
  readonly #descriptor = openWithoutWaiting()
  readonly #tellDropped: (lines: number) => void
  #lines: Buffer[] = []
  #bytes = 0
  #dropped = 0
  #timer: NodeJS.Timeout | undefined

  /** @param tellDropped called when lines that were dropped can be told of */
  constructor(tellDropped: (lines: number) => void) {
    this.#tellDropped = tellDropped
    process.on('exit', () => this.#flush())
  }

  /** @param line with its end */
  write(line: string): void {
    const bytes = Buffer.from(line)
    if (this.#bytes + bytes.length > logBytesMax) {
      this.#dropped++
      return
    }
    this.#lines.push(bytes)
    this.#bytes += bytes.length
    if (this.#timer === undefined) this.#flush()
  }

  /** Writes what can be written now. */
  #flush(): void {
    let outcome: Outcome = 'lost'
    while (this.#lines.length > 0 && outcome !== 'full') {
      outcome = this.#writePiece()
      if (outcome === 'written' && this.#bytes < logBytesMax / 2) this.#tell()
    }
    if (this.#lines.length > 0) {
      this.#timer ??= setInterval(() => this.#flush(), logRetryMs).unref()
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

  #writePiece(): Outcome {
    let count = 1
    let bytes = this.#lines[0]!.length
    while (count < this.#lines.length && bytes + this.#lines[count]!.length <= logPieceBytesMax) {
      bytes += this.#lines[count++]!.length
    }
    const piece = count === 1 ? this.#lines[0]! : Buffer.concat(this.#lines.slice(0, count))
    try {
      const written = writeSync(this.#descriptor, piece)
      this.#lines.splice(0, count)
      this.#bytes -= written
      // A piece that is longer than what is taken whole, or a socket: the rest goes first.
      if (written < bytes) this.#lines.unshift(piece.subarray(written))
      return 'written'
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EAGAIN' || code === 'EPIPE') return 'full'
      // The disk is full, say, and there is nowhere to tell it.
      this.#lines.splice(0, count)
      this.#bytes -= bytes
      this.#dropped += count
      return 'lost'
    }
  }
}

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
