/**
 * Writes lines to stderr without ever waiting for a reader. Lines that can't be written wait in a bounded buffer. If
 * the buffer is full, lines are dropped and counted, and their number is reported when there is room again.
 *
 *   lines ─▶ │ growing chunk │ ─ full, or 0.1 s old ─▶ │ buffer, oldest first │ ─▶ stderr
 *                                                          └▶ dropped if the buffer is full
 *
 * A chunk is not larger than a pipe accepts in one write (PIPE_BUF), so lines of several threads never mix.
 */
import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import pino, { type Logger } from 'pino'
import { logBytesMax, logChunkBytesMax } from '../limits.ts'
import type { Settings } from '../settings.ts'
import { withoutKeys } from './secrets.ts'
import { lineFormat } from './text-lines.ts'

/** How long a line of the access log waits for further lines. */
export const accessLogMs = 100
/** How often waiting lines are retried. */
export const logRetryMs = 10

const standardError = 2

/**
 * Makes the log of a thread. It removes API keys from its lines.
 * @param firstLine fields that are added to the first line. They get no line of their own, so if a start fails, the log
 * has only the reason
 */
export function makeLog(
  { LOG_LEVEL: level, LOG_FORMAT }: Pick<Settings, 'LOG_LEVEL' | 'LOG_FORMAT'>,
  firstLine: object = {},
): Logger {
  let fields = firstLine
  const mixin = () => {
    const now = fields
    fields = {}
    return now
  }
  const output = new LogOutput((dropped) => log.error({ dropped }, 'log lines were dropped, because nobody read them'))
  const format = lineFormat(LOG_FORMAT)
  const log = pino({ level, mixin }, { write: (line) => output.write(format(withoutKeys(line))) })
  return log
}

export class LogOutput {
  readonly #descriptor = openNonBlocking()
  readonly #onDropped: (lines: number) => void
  /** Each element has complete lines. Only the first may begin in the middle of a line. */
  readonly #buffer: Buffer[] = []
  #bytes = 0
  #chunk = ''
  /** The flush after the current turn of the event loop. */
  #soon: NodeJS.Immediate | undefined
  /** The flush after a delay. */
  #later: NodeJS.Timeout | undefined
  /** The number of dropped lines that were not reported yet. */
  #unreported = 0
  /** The number of all dropped lines. */
  dropped = 0

  /** @param onDropped called with the number of dropped lines when there is room to report them */
  constructor(onDropped: (lines: number) => void) {
    this.#onDropped = onDropped
    process.on('exit', () => this.#flush())
  }

  /** Writes a line at once, unless other lines wait already. @param line a complete line */
  write(line: string): void {
    this.#push(Buffer.from(line))
    if (this.#later === undefined) this.#flush()
  }

  /**
   * Adds a line to a chunk, which is written later. This is cheaper if there are many lines.
   * @param line a complete line, only ASCII
   */
  add(line: string): void {
    if (this.#chunk.length + line.length > logChunkBytesMax) {
      this.#endChunk()
      this.#soon ??= setImmediate(() => this.#flush())
    }
    this.#chunk += line
    this.#later ??= setTimeout(() => this.#flush(), accessLogMs).unref()
  }

  /** Writes as much as stderr accepts now. */
  #flush(): void {
    clearTimeout(this.#later)
    this.#later = undefined
    this.#soon = undefined
    this.#endChunk()
    while (this.#buffer.length > 0) {
      if (this.#writeFirst()) continue
      this.#later ??= setTimeout(() => this.#flush(), logRetryMs).unref()
      return
    }
  }

  #endChunk(): void {
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

  #drop(bytes: Buffer): void {
    const lines = bytes.toString('latin1').split('\n').length - 1
    this.#unreported += lines
    this.dropped += lines
  }

  /** Returns false if stderr accepts nothing now. */
  #writeFirst(): boolean {
    const bytes = this.#buffer.shift()!
    try {
      const written = writeSync(this.#descriptor, bytes)
      this.#bytes -= written
      // A write may be partial for a line over PIPE_BUF, or for a socket. The rest is written first.
      if (written < bytes.length) this.#buffer.unshift(bytes.subarray(written))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EAGAIN' || code === 'EPIPE') {
        this.#buffer.unshift(bytes)
        return false
      }
      // The write failed, for example because the disk is full. The error can't be reported anywhere.
      this.#bytes -= bytes.length
      this.#drop(bytes)
      return true
    }
    if (this.#unreported > 0 && this.#bytes < logBytesMax / 2) {
      const dropped = this.#unreported
      this.#unreported = 0
      this.#onDropped(dropped)
    }
    return true
  }
}

/**
 * Returns a non-blocking descriptor of stderr. A pipe is opened again, because the flag would otherwise apply to all
 * processes that share it. A file never blocks.
 */
function openNonBlocking(): number {
  if (fstatSync(standardError).isFile()) return standardError
  try {
    return openSync(`/proc/self/fd/${standardError}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_APPEND)
  } catch {
    // This is a socket, another user's pipe, or not Linux. Node.js makes a pipe or socket non-blocking when it creates
    // its own stderr stream.
    if (isMainThread) process.stderr
    return standardError
  }
}
