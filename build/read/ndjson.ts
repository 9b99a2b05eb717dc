/**
 * The records of an NDJSON file, one a line. A line that is no JSON object is a problem.
 *
 *   file ─▶ blocks of whole lines ─▶ the records of each, in this thread or another
 */
import { isUtf8 } from 'node:buffer'
import { lineBytesMax } from '../../src/limits.ts'
import { cannotBeRead, readChunks, type SnapshotFile } from './files.ts'
import { lineTooLong, type Problems, shown } from './problems.ts'

const newline = 0x0a

/** Lines of a file, each at most `lineBytesMax` long. The file's last line may have no line break. */
export interface Block {
  /** Its path from the snapshot folder. */
  readonly file: string
  /** The first line's number, from 1. */
  readonly line: number
  readonly bytes: Uint8Array
}

/**
 * Splits the file into blocks, each valid until the next one is read. Reading stops at a line that is too long.
 * @param problems gets the problem that stopped the reading, after all blocks before it
 * @param onBytes gets each chunk as it is on the disk
 */
export async function* readBlocks(
  file: SnapshotFile,
  problems: Problems,
  onBytes: (chunk: Buffer) => void = () => undefined,
): AsyncGenerator<Block> {
  let line = 1
  let rest: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of readChunks(file, onBytes)) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const { end, lines } = wholeLines(bytes)
      if (end > 0) yield { file: file.name, line, bytes: bytes.subarray(0, end) }
      line += lines
      rest = Buffer.from(bytes.subarray(end))
      if (rest.length <= lineBytesMax) continue
      problems.add(file.name, line, 'line', lineTooLong)
      return
    }
  } catch (error) {
    problems.add(file.name, line, 'line', cannotBeRead(error))
    return
  }
  if (rest.length > 0) yield { file: file.name, line, bytes: rest }
}

/** The number of complete lines before the first that is too long, and where they end. */
function wholeLines(bytes: Buffer): { end: number; lines: number } {
  let end = 0
  let lines = 0
  for (let at = nextNewline(bytes, end); at !== -1 && at - end <= lineBytesMax; at = nextNewline(bytes, end)) {
    end = at + 1
    lines++
  }
  return { end, lines }
}

/** Faster than indexOf for an empty line. */
const nextNewline = (bytes: Buffer, from: number): number =>
  bytes[from] === newline ? from : bytes.indexOf(newline, from)

/** Calls `onLine` with the span and the number of each line that is UTF-8 and not empty. */
export function linesIn(
  block: Block,
  problems: Problems,
  onLine: (bytes: Buffer, start: number, end: number, line: number) => void,
): void {
  const bytes = Buffer.from(block.bytes.buffer, block.bytes.byteOffset, block.bytes.byteLength)
  // A line break is never part of a longer character. So if the block is UTF-8, each line is.
  const allUtf8 = isUtf8(bytes)
  let { line } = block
  for (let start = 0; start < bytes.length; line++) {
    const found = nextNewline(bytes, start)
    const end = found === -1 ? bytes.length : found
    const isEmpty = end === start
    if (!isEmpty && !allUtf8 && !isUtf8(bytes.subarray(start, end)))
      problems.add(block.file, line, 'line', 'must be UTF-8')
    else if (!isEmpty) onLine(bytes, start, end, line)
    start = end + 1
  }
}

/** Calls `onRecord` with the JSON object and the number of each line of the file. Skips blank lines. */
export async function readRecords(
  file: SnapshotFile,
  problems: Problems,
  onRecord: (record: object, line: number) => void,
  onBytes?: (chunk: Buffer) => void,
): Promise<void> {
  for await (const block of readBlocks(file, problems, onBytes)) {
    linesIn(block, problems, (bytes, start, end, line) => {
      const record = parseLine(bytes.toString('utf8', start, end), file.name, line, problems)
      if (record !== undefined) onRecord(record, line)
    })
  }
}

const byteOrderMark = '\ufeff'

/** The line's JSON object; undefined for a blank line, and for anything else, which is a problem. */
export function parseLine(text: string, file: string, line: number, problems: Problems): object | undefined {
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
