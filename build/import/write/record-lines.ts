/** Reads a file of the import's own state: a JSON record a line. */
import * as v from 'valibot'
import { shown } from '../../read/snapshot-problems.ts'
import type { ImportErrors } from '../errors.ts'
import { parseJson } from '../read/json.ts'
import { type InputFile, readWhole } from '../read/open.ts'

const newline = 0x0a

/**
 * Calls `on` with each record. The first error ends the reading: what is missing must not be replaced by something new.
 * @param wrong the message for a record of another form
 * @param on returns the message for a record that is wrong beside the others
 */
export function eachRecord<Line>(
  file: InputFile,
  errors: ImportErrors,
  { schema, wrong }: { readonly schema: v.GenericSchema<unknown, Line>; readonly wrong: string },
  on: (record: Line) => string | undefined,
): void {
  const bytes = readWhole(file, errors) ?? Buffer.alloc(0)
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const end = bytes.indexOf(newline, start)
    const value = end === -1 ? undefined : parseJson(`${file.path}: line ${line}`, bytes.subarray(start, end), errors)
    if (end === -1) errors.add(file.path, `line ${line}`, 'the file is cut short')
    if (value === undefined) return
    const record = v.safeParse(schema, value)
    const found = record.success ? on(record.output) : wrong
    if (found !== undefined) {
      errors.add(file.path, `line ${line}`, found, shown(value))
      return
    }
    start = end + 1
  }
}
