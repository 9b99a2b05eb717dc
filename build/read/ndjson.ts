/** The records of an NDJSON file, one a line, as they stream by; what is no JSON object is a problem of its line. */
import { isUtf8 } from 'node:buffer'
import { lineBytesMax } from '../../src/limits.ts'
import { cannotBeRead, openFile, type SnapshotFile } from './files.ts'
import { lineTooLong, type Problems, shown } from './problems.ts'

const newline = 0x0a

/**
 * Calls `onRecord` with each line's JSON object and its line number, counted from 1. Blank lines are passed over. After
 * a line that is too long the file is not read on. `onBytes` sees each piece as it lies on the disk.
 */
export async function readRecords(
  file: SnapshotFile,
  problems: Problems,
  onRecord: (record: object, line: number) => void,
  onBytes?: (piece: Buffer) => void,
): Promise<void> {
  let line = 1
  let rest: Buffer = Buffer.alloc(0)
  /** False if the line is too long, wherever the pieces end. */
  const take = (bytes: Buffer): boolean => {
    if (bytes.length > lineBytesMax) return false
    const record = parseLine(bytes, file.name, line, problems)
    if (record !== undefined) onRecord(record, line)
    line++
    return true
  }
  /** Takes the lines that end in these bytes; false if one, or what is left for the next, is too long. */
  const takeAll = (bytes: Buffer): boolean => {
    let start = 0
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      if (!take(bytes.subarray(start, end))) return false
      start = end + 1
    }
    rest = bytes.subarray(start)
    return rest.length <= lineBytesMax
  }
  try {
    for await (const piece of openFile(file, onBytes)) {
      if (takeAll(rest.length === 0 ? piece : Buffer.concat([rest, piece]))) continue
      problems.add(file.name, line, 'line', lineTooLong)
      return
    }
  } catch (error) {
    problems.add(file.name, line, 'line', cannotBeRead(error))
    return
  }
  if (rest.length > 0) take(rest)
}

const byteOrderMark = '\ufeff'

function parseLine(bytes: Buffer, file: string, line: number, problems: Problems): object | undefined {
  if (!isUtf8(bytes)) {
    problems.add(file, line, 'line', 'must be UTF-8')
    return undefined
  }
  const text = bytes.toString('utf8')
  const json = line === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text
  if (json.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    problems.add(file, line, 'line', 'must be JSON', shown(json))
    return undefined
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  problems.add(file, line, 'line', 'must be a JSON object', shown(value))
  return undefined
}
