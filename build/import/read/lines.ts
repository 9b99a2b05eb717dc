/** Streams the lines of a file, or other records that end with a line break. */
import type { ImportErrors } from '../import-errors.ts'
import { type InputFile, readChunks } from './open.ts'

const newline = 0x0a

/** The first byte that is neither white space nor part of a byte order mark; undefined if there is none. */
export async function firstByte(file: InputFile, errors: ImportErrors): Promise<number | undefined> {
  let found: number | undefined
  await readChunks(file, errors, (chunk) => {
    found = chunk.find((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf)
    return found === undefined
  })
  return found
}

interface Split {
  /** The offset behind the record that starts at `start`; -1 if the record does not end in these bytes. */
  readonly endOf: (bytes: Buffer, start: number) => number
  readonly bytesMax: number
  /** The message for a record that is longer than `bytesMax`. Such a record ends the reading. */
  readonly tooLong: string
}

/**
 * Calls `onRecord` with each record, the record's first line, and whether the record's end is missing. Returns false if
 * an error ended the reading.
 */
export async function splitRecords(
  file: InputFile,
  errors: ImportErrors,
  { endOf, bytesMax, tooLong }: Split,
  onRecord: (bytes: Buffer, line: number, isUnended: boolean) => void,
): Promise<boolean> {
  const errorsBefore = errors.count
  let line = 1
  let rest: Buffer = Buffer.alloc(0)
  const isComplete = await readChunks(file, errors, (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = endOf(bytes, 0); end !== -1 && errors.count === errorsBefore; end = endOf(bytes, start)) {
      const record = bytes.subarray(start, end)
      onRecord(record, line, false)
      line += linesIn(record)
      start = end
    }
    rest = bytes.subarray(start)
    if (rest.length > bytesMax) errors.add(file.path, `line ${line}`, tooLong)
    return errors.count === errorsBefore && rest.length <= bytesMax
  })
  if (isComplete && rest.length > 0) onRecord(rest, line, true)
  return isComplete && errors.count === errorsBefore
}

/** The offset behind the end of a line, for `splitRecords`; -1 if the line does not end in these bytes. */
export const lineEnd = (bytes: Buffer, start: number): number => bytes.indexOf(newline, start) + 1 || -1

export function linesIn(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count++
  return count
}
