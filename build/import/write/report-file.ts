/**
 * Writes the file that `--report` names. A seller's file may have a million rows that match no card. So records are
 * written to a temporary file at once. The report is put together at the end, because its head has the counts of all
 * records.
 */
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs'
import { ImportError } from '../import-errors.ts'
import { type RecordSink, Report } from '../import-report.ts'
import { type Staging, writeError } from './staging.ts'

const flushChars = 1024 * 1024

/** Lines of records on disk. */
class RecordLines implements RecordSink {
  readonly #path: string
  readonly #file: number
  #pending = ''
  #bytes = 0

  constructor(path: string) {
    this.#path = path
    try {
      this.#file = openSync(path, 'w+')
    } catch (error) {
      throw writeError(path, error)
    }
  }

  add(line: string): void {
    this.#pending += this.#bytes === 0 && this.#pending === '' ? line : `,\n${line}`
    if (this.#pending.length > flushChars) this.#flush()
  }

  #flush(): void {
    try {
      writeFileSync(this.#file, this.#pending)
    } catch (error) {
      throw writeError(this.#path, error)
    }
    this.#bytes += Buffer.byteLength(this.#pending)
    this.#pending = ''
  }

  *parts(): Generator<Uint8Array> {
    this.#flush()
    const buffer = Buffer.alloc(flushChars)
    for (let at = 0; at < this.#bytes; ) {
      const read = readSync(this.#file, buffer, 0, buffer.length, at)
      if (read === 0) throw new Error(`${this.#path} was cut short`)
      at += read
      yield buffer.subarray(0, read)
    }
  }

  close(): void {
    closeSync(this.#file)
  }
}

const nowhere: RecordSink = { add: () => {}, parts: () => [], close: () => {} }

/**
 * The report of an import. It keeps records in memory only if the caller asks for them.
 * @param path the path of the report's file, if there is one
 */
export function reportFor(path: string | undefined, keepsRecords: boolean, staging: Staging): Report {
  if (keepsRecords) return new Report()
  return new Report(path === undefined ? nowhere : new RecordLines(staging.scratchFile('report')))
}

/** Writes the report's file. Throws ImportError if the file can't be written. */
export function writeReport(path: string, report: Report, head: Readonly<Record<string, unknown>>): void {
  try {
    const file = openSync(path, 'w')
    try {
      for (const part of report.json(head)) writeFileSync(file, part)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw error instanceof ImportError ? error : writeError(path, error)
  }
}
