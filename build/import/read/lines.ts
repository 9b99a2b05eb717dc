/** Streams the lines of a JSON file. */
import { isUtf8 } from 'node:buffer'
import { shown } from '../../read/problems.ts'
import type { ImportErrors } from '../errors.ts'
import { type InputFile, readChunks } from './open.ts'
import type { FileRecords } from './records.ts'

const newline = 0x0a
const lineBytesMax = 64 * 1024 * 1024

/** The first byte that is neither a space nor of a byte order mark; undefined if there is none. */
export async function firstByte(file: InputFile, errors: ImportErrors): Promise<number | undefined> {
  let found: number | undefined
  await readChunks(file, errors, (chunk) => {
    found = chunk.find((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf)
    return found === undefined
  })
  return found
}

/**
 * Calls `onLine` with each line, its number, and whether a line break is missing at its end. False if an error or a line that is too
 * long ended the reading.
 */
export async function splitLines(
  file: InputFile,
  errors: ImportErrors,
  bytesMax: number,
  onLine: (bytes: Buffer, line: number, isUnended: boolean) => void,
  onTooLong: (line: number) => void = () => {},
): Promise<boolean> {
  let line = 0
  let rest: Buffer = Buffer.alloc(0)
  const complete = await readChunks(file, errors, (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      onLine(bytes.subarray(start, end), ++line, false)
      start = end + 1
    }
    rest = bytes.subarray(start)
    if (rest.length <= bytesMax) return true
    onTooLong(line + 1)
    return false
  })
  if (complete && rest.length > 0) onLine(rest, ++line, true)
  return complete
}

/** Calls `take` with each line's value. A line that is no JSON is a wrong record; a last line without a line break is cut short. */
export async function readLines(
  file: InputFile,
  records: FileRecords,
  errors: ImportErrors,
  take: (value: unknown, place: string) => void,
): Promise<void> {
  let isEmpty = true
  const onLine = (bytes: Buffer, line: number, isUnended: boolean): void => {
    isEmpty = false
    const text = bytes.toString('utf8').replace(/^\ufeff/, '')
    if (text.trim() === '') return
    let value: unknown
    try {
      if (!isUtf8(bytes)) throw new SyntaxError('must be UTF-8')
      value = JSON.parse(text)
    } catch {
      if (isUnended) errors.add(file.path, `line ${line}`, 'the file is cut short')
      else {
        records.count()
        records.wrong(`line ${line}`, 'must be JSON', shown(text.slice(0, 200)))
      }
      return
    }
    take(value, `line ${line}`)
  }
  const errorsBefore = errors.count
  await splitLines(file, errors, lineBytesMax, onLine, (line) => {
    errors.add(file.path, `line ${line}`, `must be at most ${lineBytesMax} bytes`)
  })
  if (isEmpty && errors.count === errorsBefore) errors.add(file.path, 'line 1', 'must be JSON', 'the file is empty')
}
