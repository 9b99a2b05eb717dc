/**
 * Yields a report in parts, because a whole report may not fit in memory. A report is a table, CSV (for bills and
 * spreadsheets) or JSON.
 */
import { csvField } from '../../catalog/card-fields.ts'

export type ReportForm = 'table' | 'csv' | 'json'

interface Columns {
  /**
   * The width in characters of each field's column. With fixed widths, the rows are read only once. A negative width
   * aligns the column to the right, as for numbers.
   */
  readonly table: Readonly<Record<string, number>>
  readonly csv: readonly string[]
}

/** @param batches the rows; each batch becomes one part of the report */
export async function* report<Row extends object>(
  form: ReportForm,
  { table, csv }: Columns,
  batches: Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  const textsOf = (row: Row, fields: readonly string[]) =>
    fields.map((field) => String((row as Record<string, unknown>)[field] ?? ''))
  const line = (texts: readonly string[]) =>
    `${texts
      .map((text, i) => padded(text, Object.values(table)[i]!))
      .join('  ')
      .trimEnd()}\n`
  if (form === 'json') yield '['
  if (form === 'csv') yield `${csv}\n`
  if (form === 'table') yield line(Object.keys(table).map(heading))
  let before = ''
  for await (const rows of batches) {
    if (rows.length === 0) continue
    if (form === 'json') yield before + rows.map((row) => JSON.stringify(row)).join(',')
    if (form === 'csv') yield rows.map((row) => `${textsOf(row, csv).map(csvField)}\n`).join('')
    if (form === 'table') yield rows.map((row) => line(textsOf(row, Object.keys(table)))).join('')
    before = ','
  }
  if (form === 'json') yield ']\n'
}

const padded = (text: string, chars: number) => (chars < 0 ? text.padStart(-chars) : text.padEnd(chars))

/** The heading of a field: keyId → KEY ID */
const heading = (field: string) => field.replace(/[A-Z]/g, ' $&').toUpperCase()
