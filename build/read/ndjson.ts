/** The records of an NDJSON file, one a line, as they stream by; what is no JSON object is a problem of its line. */
import { isUtf8 } from 'node:buffer'
import { lineBytesMax } from '../../src/limits.ts'
import { type Problems, shown } from '../problems.ts'
import { openFile, type SnapshotFile } from './files.ts'

const newline = 0x0a

/**
 * Calls `onRecord` with each line's JSON object and its line number, counted from 1. Blank lines are passed over.
 */
export async function readRecords(
  file: SnapshotFile,
  problems: Problems,
  onRecord: (record: object, line: number) => void,
): Promise<void> {
  let line = 0
  let rest: Buffer = Buffer.alloc(0)
  const take = (bytes: Buffer) => {
    line++
    const record = parseLine(bytes, file.name, line, problems)
    if (record !== undefined) onRecord(record, line)
  }
  try {
    for await (const piece of openFile(file)) {
      const bytes = rest.length === 0 ? (piece as Buffer) : Buffer.concat([rest, piece as Buffer])
      let start = 0
      for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
        take(bytes.subarray(start, end))
        start = end + 1
      }
      rest = bytes.subarray(start)
      if (rest.length > lineBytesMax) {
        problems.add(file.name, line + 1, 'line', `must be at most ${lineBytesMax} bytes`)
        return
      }
    }
  } catch (error) {
    problems.add(file.name, line + 1, 'line', `can't be read (${(error as Error).message})`)
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
