/** Streams the rows of a CSV file. Quoted fields may hold separators and line breaks. */
import { isUtf8 } from 'node:buffer'
import { lineBytesMax } from '../../../src/limits.ts'
import { recordEnd, type Separator, separators, splitRecord } from '../../read/history/csv.ts'
import { shown } from '../../read/problems.ts'
import type { ImportErrors } from '../errors.ts'
import { type InputFile, readChunks } from './open.ts'
import type { FileRecords } from './records.ts'

const newline = 0x0a

/**
 * Calls `onRow` with each row. The separator is the one by which the header has the required columns, else a comma. Rows that are no CSV, or have too few or too many fields, are wrong records. An error ends the
 * reading.
 * @param required the columns that the file must have
 * @param onRow gets the field of a column, empty if there is no such column, the row's first line, and all fields
 * @param onHeader gets the names of all columns, and may add errors
 */
export async function readCsv(
  file: InputFile,
  records: FileRecords,
  errors: ImportErrors,
  required: readonly string[],
  onRow: (field: (column: string) => string, line: number, fields: readonly string[]) => void,
  onHeader: (columns: readonly string[]) => void = () => {},
): Promise<void> {
  let columns = 0
  let separator: Separator = ','
  const indexes = new Map<string, number>()
  let row: readonly string[] = []
  const field = (column: string): string => row[indexes.get(column) ?? -1] ?? ''
  let line = 1
  let rest: Buffer = Buffer.alloc(0)

  /** False after an error. */
  const takeHeader = (names: readonly string[]): boolean => {
    const errorsBefore = errors.count
    names.forEach((name, index) => {
      if (!indexes.has(name)) indexes.set(name, index)
    })
    const missing = required.filter((column) => !indexes.has(column))
    if (missing.length > 0) errors.add(file.path, 'line 1', `must have the column ${missing.join(' and ')}`)
    else onHeader(names)
    return errors.count === errorsBefore
  }

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
    if (columns === 0) separator = separatorOf(record, required) ?? separator
    const fields = splitRecord(record, separator)
    if (columns === 0) {
      if (fields === undefined) {
        errors.add(file.path, 'line 1', 'must be a header', shown(record))
        return false
      }
      columns = fields.length
      return takeHeader(fields)
    }
    if (fields?.length === columns) {
      records.count()
      row = fields
      onRow(field, line, fields)
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
      const end = recordEnd(bytes, start, bytes.length, separator)
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
  if (rest.length > 0 && recordEnd(Buffer.concat([rest, Buffer.of(newline)]), 0, rest.length + 1, separator) === -1) {
    errors.add(file.path, `line ${line}`, 'has a quote that is not closed')
    return
  }
  if (rest.length > 0 && !take(rest, true)) return
  if (columns === 0) errors.add(file.path, 'line 1', 'must be a header', 'the file is empty')
}

const separatorOf = (header: string, required: readonly string[]): Separator | undefined =>
  separators.find((separator) => {
    const names = splitRecord(header, separator)
    return names !== undefined && required.every((column) => names.includes(column))
  })
