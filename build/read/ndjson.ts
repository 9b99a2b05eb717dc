/** Reads the records of an NDJSON file, one from each line. A line that is not a JSON object is a problem. */
import { isUtf8 } from 'node:buffer'
import { lineBytesMax } from '../../src/limits.ts'
import { cannotBeRead, openFile, type SnapshotFile } from './files.ts'
import { lineTooLong, type Problems, shown } from './snapshot-problems.ts'

const newline = 0x0a

/**
 * Calls `onRecord` with the JSON object and the number of each line of the file, from 1. Skips blank lines. Stops at a
 * line that is too long. The file's last line may have no line break.
 */
export async function readRecords(
  file: SnapshotFile,
  problems: Problems,
  onRecord: (record: object, line: number) => void,
): Promise<void> {
  const wrong = (what: string, found?: string) => problems.add(`${file.name}:${line}`, 'line', what, found)
  const take = (bytes: Buffer): void => {
    if (!isUtf8(bytes)) {
      wrong('must be UTF-8')
      return
    }
    const text = line === 1 ? bytes.toString('utf8').replace(/^\ufeff/, '') : bytes.toString('utf8')
    if (text.trim() === '') return
    const record = jsonObject(text, wrong)
    if (record !== undefined) onRecord(record, line)
  }
  let line = 1
  let rest: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of openFile(file)) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let start = 0
      for (let end = bytes.indexOf(newline); end !== -1 && end - start <= lineBytesMax; line++) {
        take(bytes.subarray(start, end))
        start = end + 1
        end = bytes.indexOf(newline, start)
      }
      rest = bytes.subarray(start)
      if (rest.length <= lineBytesMax) continue
      wrong(lineTooLong)
      return
    }
  } catch (error) {
    wrong(cannotBeRead(error))
    return
  }
  take(rest)
}

/** The JSON object in a text. Undefined if the text is not a JSON object; `wrong` then gets the reason. */
export function jsonObject(text: string, wrong: (what: string, found: string) => void): object | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    wrong('must be JSON', shown(text))
    return undefined
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  wrong('must be a JSON object', shown(value))
  return undefined
}
