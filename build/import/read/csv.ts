/** Streams the rows of a CSV file. Quoted fields may hold commas and line breaks. */
import { isUtf8 } from 'node:buffer'
import { lineBytesMax } from '../../../src/limits.ts'
import { recordEnd, splitRecord } from '../../read/history/csv.ts'
import { shown } from '../../read/problems.ts'
import type { ImportErrors } from '../errors.ts'
import { type InputFile, readChunks } from './open.ts'
import type { FileRecords } from './records.ts'

const newline = 0x0a

/**
 * Calls `onHeader` with the columns' names, then `onRow` with each row's fields and its first line. Rows that are no CSV, or have
 * too few or too many fields, are wrong records. An error ends the reading.
 * @param onHeader returns false after it added an error for a missing column
 */
export async function readCsv(
  file: InputFile,
  records: FileRecords,
  errors: ImportErrors,
  onHeader: (columns: readonly string[]) => boolean,
  onRow: (fields: readonly string[], line: number) => void,
): Promise<void> {
  let columns = 0
  let line = 1
  let rest: Buffer = Buffer.alloc(0)

  /** False after an error. */
  const take = (bytes: Buffer, isCut: boolean): boolean => {
    if (!isUtf8(bytes)) {
      if (columns === 0) {
        errors.add(file.path, 'line 1', 'must be UTF-8')
        return false
      }
      records.count()
      records.wrong(`line ${line}`, 'must be UTF-8')
      return true
    }
    const text = bytes.toString('utf8').replace(/\r?\n$/, '')
    const record = line === 1 && text.startsWith('\ufeff') ? text.slice(1) : text
    if (record.trim() === '') return true
    const fields = splitRecord(record)
    if (columns === 0) {
      if (fields === undefined) {
        errors.add(file.path, 'line 1', 'must be a header', shown(record))
        return false
      }
      columns = fields.length
      return onHeader(fields)
    }
    if (fields?.length === columns) {
      records.count()
      onRow(fields, line)
      return true
    }
    if (isCut) {
      errors.add(file.path, `line ${line}`, 'the file is cut short')
      return false
    }
    records.count()
    if (fields === undefined) records.wrong(`line ${line}`, 'has a quote in the wrong place', shown(record))
    else records.wrong(`line ${line}`, `must have ${columns} fields`, String(fields.length))
    return true
  }

  const complete = await readChunks(file, errors, (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (;;) {
      while (bytes[start] === newline) {
        start++
        line++
      }
      const end = recordEnd(bytes, start, bytes.length)
      if (end === -1) break
      const record = bytes.subarray(start, end)
      if (!take(record, false)) return false
      for (let i = 0; i < record.length; i++) if (record[i] === newline) line++
      start = end
    }
    rest = bytes.subarray(start)
    if (rest.length <= lineBytesMax) return true
    errors.add(file.path, `line ${line}`, `has a quote that is not closed, or is over ${lineBytesMax} bytes`)
    return false
  })
  if (!complete) return
  if (rest.length > 0 && recordEnd(Buffer.concat([rest, Buffer.of(newline)]), 0, rest.length + 1) === -1) {
    errors.add(file.path, `line ${line}`, 'has a quote that is not closed')
    return
  }
  if (rest.length > 0 && !take(rest, true)) return
  if (columns === 0) errors.add(file.path, 'line 1', 'must be a header', 'the file is empty')
}
