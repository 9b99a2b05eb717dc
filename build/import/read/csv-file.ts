/** Streams the rows of a CSV file. Quoted fields may contain separators and line breaks. */
import { isUtf8 } from 'node:buffer'
import { lineBytesMax } from '../../../src/limits.ts'
import { recordEnd, type Separator, separators, splitRecord } from '../../read/history/csv-records.ts'
import { shown } from '../../read/snapshot-problems.ts'
import type { FileRecords } from './file-records.ts'
import { splitRecords } from './lines.ts'
import type { InputFile } from './open.ts'

export interface CsvTable {
  /** The columns that the file must have. */
  readonly required: readonly string[]
  /** Gets the names of all columns, and may add errors. */
  readonly onHeader?: (columns: readonly string[]) => void
  /**
   * Gets a function that returns the field of a column, empty if there is no such column. Also gets the row's first
   * line and all its fields.
   */
  readonly onRow: (field: (column: string) => string, line: number, fields: readonly string[]) => void
}

/**
 * Reads all rows. The separator is the one by which the header has the required columns, else a comma. A row is a wrong
 * record if it is not valid CSV, or has too few or too many fields. An error ends the reading.
 */
export async function readCsv(
  file: InputFile,
  records: FileRecords,
  { required, onHeader, onRow }: CsvTable,
): Promise<void> {
  const { errors } = records
  let separator: Separator = ','
  let header: readonly string[] | undefined
  let row: readonly string[] = []
  const indexes = new Map<string, number>()
  const field = (column: string): string => row[indexes.get(column) ?? -1] ?? ''

  const takeHeader = (text: string, place: string): void => {
    const names = (by: Separator) => splitRecord(text, by)
    const hasAll = (by: Separator) => required.every((column) => names(by)?.includes(column))
    separator = separators.find(hasAll) ?? ','
    header = names(separator)
    for (const [index, name] of header?.entries() ?? []) if (!indexes.has(name)) indexes.set(name, index)
    const missing = required.filter((column) => !indexes.has(column))
    if (header === undefined) errors.add(file.path, place, 'must be a header', shown(text))
    else if (missing.length > 0) errors.add(file.path, place, `must have the column ${missing.join(' and ')}`)
    else onHeader?.(header)
  }

  const take = (bytes: Buffer, line: number, isUnended: boolean): void => {
    const place = `line ${line}`
    const text = bytes.toString('utf8').replace(/^\ufeff|\r?\n$/g, '')
    if (text.trim() === '') return
    const fields = splitRecord(text, separator)
    if (header === undefined) takeHeader(text, place)
    else if (isUnended && fields?.length !== header.length) errors.add(file.path, place, 'the file is cut short')
    else {
      records.count()
      if (!isUtf8(bytes)) records.wrong(place, 'must be UTF-8')
      else if (fields === undefined) records.wrong(place, 'has a quote in the wrong place', shown(text))
      else if (fields.length !== header.length)
        records.wrong(place, `must have ${header.length} fields`, `${fields.length}`)
      else {
        row = fields
        onRow(field, line, fields)
      }
    }
  }

  const endOf = (bytes: Buffer, start: number): number => recordEnd(bytes, start, bytes.length, separator)
  const tooLong = `has a quote that is not closed, or is over ${lineBytesMax} bytes`
  const isComplete = await splitRecords(file, errors, { endOf, bytesMax: lineBytesMax, tooLong }, take)
  if (isComplete && header === undefined) errors.add(file.path, 'line 1', 'must be a header', 'the file is empty')
  records.end()
}
