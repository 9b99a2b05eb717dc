/**
 * Writes to stderr without ever waiting for its reader. Lines that can't be written wait in a bounded buffer. If it is full, lines are
 * dropped and counted, and their number is reported when there is room again.
 *
 *   lines ─▶ │ growing chunk │ ─ full, or 0.1 s old ─▶ │ buffer, oldest first │ ─▶ stderr
 *                                                          └▶ dropped if the buffer is full
 *
 * A chunk is not larger than a pipe accepts in one write (PIPE_BUF), so lines of several threads never mix.
 */
import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { accessLogMs, logBytesMax, logChunkBytesMax, logRetryMs } from '../limits.ts'

const standardError = 2
const lineEnd = 0x0a

type Outcome = 'written' | 'full' | 'lost'

export class LogOutput {
  readonly #descriptor = openNonBlocking()
  readonly #onDropped: (lines: number) => void
  /** Each has complete lines; the first may begin within one. */
  #buffer: Buffer[] = []
  #bytes = 0
  #chunk = ''
  #full: NodeJS.Immediate | undefined
  #old: NodeJS.Timeout | undefined
  /** Dropped lines that were not reported yet. */
  #unreported = 0
  /** All dropped lines. */
  dropped = 0
  #timer: NodeJS.Timeout | undefined

  /** @param onDropped called with the number of dropped lines when there is room to report them */
  constructor(onDropped: (lines: number) => void) {
    this.#onDropped = onDropped
    process.on('exit', () => this.flush())
  }

  /** @param line complete */
  write(line: string): void {
    this.#push(Buffer.from(line))
    if (this.#timer === undefined) this.#flush()
  }

  /** For many lines: writes them between turns of the event loop. @param line complete, of ASCII alone */
  add(line: string): void {
    if (this.#chunk.length + line.length > logChunkBytesMax) {
      this.#endChunk()
      this.#full ??= setImmediate(() => this.#flush())
    }
    this.#chunk += line
    this.#old ??= setTimeout(() => this.flush(), accessLogMs).unref()
  }

  /** Writes as much as stderr accepts now. */
  flush(): void {
    this.#endChunk()
    this.#flush()
  }

  #endChunk(): void {
    clearTimeout(this.#old)
    this.#old = undefined
    if (this.#chunk !== '') this.#push(Buffer.from(this.#chunk))
    this.#chunk = ''
  }

  #push(bytes: Buffer): void {
    if (this.#bytes + bytes.length > logBytesMax) {
      this.#drop(bytes)
      return
    }
    this.#buffer.push(bytes)
    this.#bytes += bytes.length
  }

  #flush(): void {
    this.#full = undefined
    let outcome: Outcome = 'lost'
    while (this.#buffer.length > 0 && outcome !== 'full') {
      outcome = this.#writeChunk()
      if (outcome === 'written' && this.#bytes < logBytesMax / 2) this.#reportDropped()
    }
    if (this.#buffer.length > 0) {
      this.#timer ??= setInterval(() => this.#flush(), logRetryMs).unref()
    } else {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  #reportDropped(): void {
    if (this.#unreported === 0) return
    const dropped = this.#unreported
    this.#unreported = 0
    this.#onDropped(dropped)
  }

  #drop(bytes: Buffer): void {
    for (let at = bytes.indexOf(lineEnd); at !== -1; at = bytes.indexOf(lineEnd, at + 1)) {
      this.#unreported++
      this.dropped++
    }
  }

  #writeChunk(): Outcome {
    let taken = 1
    let { length } = this.#buffer[0]!
    while (taken < this.#buffer.length && length + this.#buffer[taken]!.length <= logChunkBytesMax) {
      length += this.#buffer[taken++]!.length
    }
    const bytes = taken === 1 ? this.#buffer[0]! : Buffer.concat(this.#buffer.slice(0, taken))
    try {
      const written = writeSync(this.#descriptor, bytes)
      this.#buffer.splice(0, taken)
      this.#bytes -= written
      // A single line over PIPE_BUF, or a socket, may be written in part. The rest goes first.
      if (written < length) this.#buffer.unshift(bytes.subarray(written))
      return 'written'
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EAGAIN' || code === 'EPIPE') return 'full'
      // For example a full disk. There is nowhere to report it.
      this.#buffer.splice(0, taken)
      this.#bytes -= length
      this.#drop(bytes)
      return 'lost'
    }
  }
}

/**
 * Returns a non-blocking descriptor of stderr. A pipe is opened again, because the flag would otherwise apply to all processes that
 * share it. A file never blocks.
 */
function openNonBlocking(): number {
  if (fstatSync(standardError).isFile()) return standardError
  try {
    return openSync(`/proc/self/fd/${standardError}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_APPEND)
  } catch {
    // A socket, another user's pipe, or not Linux. Node.js makes its own stderr stream of a pipe or socket non-blocking.
    if (isMainThread) process.stderr
    return standardError
  }
}
