/** Reads JSON files. Large files are read value by value or line by line as they stream; other files are read whole. */
import { isUtf8 } from 'node:buffer'
import * as v from 'valibot'
import { jsonLineBytesMax } from '../../../src/limits.ts'
import { shown } from '../../read/snapshot-problems.ts'
import type { ImportErrors } from '../import-errors.ts'
import type { FileRecords } from './file-records.ts'
import { JsonSplitter, SplitError } from './json-splitter.ts'
import { lineEnd, splitRecords } from './lines.ts'
import { type InputFile, readChunks, readWhole } from './open.ts'

type OnValue = (key: string | number, value: unknown) => void

interface Readers {
  readonly onValue: OnValue
  readonly onRootMember?: OnValue
  /** This is called after each chunk. It returns true if the rest of the file need not be read. */
  readonly isEnough?: () => boolean
}

/** Calls back with each value of a file (json-splitter.ts). Returns false after an error. */
export async function readValues(
  file: InputFile,
  container: string,
  errors: ImportErrors,
  { onValue, onRootMember = () => {}, isEnough = () => false }: Readers,
): Promise<boolean> {
  const errorsBefore = errors.count
  const parsing = (on: OnValue, within: string) => (key: string | number, bytes: Buffer) => {
    const value = parsed(bytes)
    if (value !== undefined) return on(key, value)
    const place = typeof key === 'number' ? `${within}[${key}]` : [within, key].filter(Boolean).join('.')
    errors.add(
      file.path,
      place,
      isUtf8(bytes) ? 'must be JSON' : 'must be UTF-8',
      shown(bytes.toString('utf8', 0, 200)),
    )
  }
  const splitter = new JsonSplitter(container, parsing(onValue, container), parsing(onRootMember, ''))
  try {
    const isComplete = await readChunks(file, errors, (chunk) => {
      splitter.take(chunk)
      return errors.count === errorsBefore && !isEnough()
    })
    if (isComplete) splitter.end()
  } catch (error) {
    if (!(error instanceof SplitError)) throw error
    errors.add(file.path, '', error.message)
  }
  return errors.count === errorsBefore
}

/**
 * Calls `take` with the value of each line. A line that is not valid JSON is a wrong record. If the last line has no
 * line break, the file is cut short, which is an error.
 */
export async function readLines(
  file: InputFile,
  records: FileRecords,
  take: (value: unknown, place: string) => void,
): Promise<void> {
  const { errors } = records
  let isEmpty = true
  const onLine = (bytes: Buffer, line: number, isUnended: boolean): void => {
    isEmpty = false
    if (isBlank(bytes)) return
    const place = `line ${line}`
    const value = parsed(bytes)
    if (value !== undefined) take(value, place)
    else if (isUnended) errors.add(file.path, place, 'the file is cut short')
    else {
      records.count()
      records.wrong(place, 'must be JSON', start(bytes))
    }
  }
  const split = { endOf: lineEnd, bytesMax: jsonLineBytesMax, tooLong: `must be at most ${jsonLineBytesMax} bytes` }
  const isComplete = await splitRecords(file, errors, split, onLine)
  if (isComplete && isEmpty) errors.add(file.path, 'line 1', 'must be JSON', 'the file is empty')
}

/**
 * Reads a file of the import's own state, and calls `on` with the record of each line. The first error ends the
 * reading, since new state must not replace what could not be read.
 * @param wrong the message for a record of another form
 * @param on returns a message if the record contradicts earlier records
 */
export function eachRecord<Line>(
  file: InputFile,
  errors: ImportErrors,
  { schema, wrong }: { readonly schema: v.GenericSchema<unknown, Line>; readonly wrong: string },
  on: (record: Line) => string | undefined,
): void {
  const bytes = readWhole(file, errors) ?? Buffer.alloc(0)
  const takeLine = (text: Buffer, isCut: boolean): string | undefined => {
    if (isCut) return 'the file is cut short'
    const value = parsed(text)
    if (value === undefined) return `must be JSON (${start(text)})`
    const record = v.safeParse(schema, value)
    const found = record.success ? on(record.output) : wrong
    return found && `${found} (${shown(value)})`
  }
  for (let at = 0, line = 1; at < bytes.length; line++) {
    const end = lineEnd(bytes, at)
    const found = takeLine(bytes.subarray(at, end === -1 ? undefined : end), end === -1)
    if (found !== undefined) {
      errors.add(file.path, `line ${line}`, found)
      return
    }
    at = end
  }
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte <= 0x20)

const start = (bytes: Buffer): string => shown(bytes.toString('utf8', 0, 200))

/** The JSON value; undefined if the bytes are not JSON in UTF-8. */
function parsed(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}
