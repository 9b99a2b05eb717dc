/** Reads consecutive history files into a log of rows. */
import { dateOfDay } from '../../../src/calendar.ts'
import { Checksum } from '../../../src/checksum.ts'
import { CardIds, type IdsMemory } from '../../read/card-ids.ts'
import type { SnapshotFile } from '../../read/files.ts'
import { HistoryIds } from '../../read/history/ids.ts'
import { readHistory } from '../../read/history/rows.ts'
import { type FoundProblems, Problems } from '../../read/problems.ts'
import type { Job } from '../../workers/pool.ts'
import { RowLog, type RowLogMemory } from './log.ts'

export interface FileToRead {
  readonly file: SnapshotFile
  /** Only rows of this day or later are logged. */
  readonly from: number
}

/** Since the progress before. */
export interface ReadProgress {
  readonly bytes: number
  readonly file: string
}

/** A history file when it was read. */
export interface CachedFile {
  readonly name: string
  readonly bytes: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  /** Of the file on the disk, hexadecimal. */
  readonly sha256: string
  readonly rows: number
  /** Rows of unknown cards. */
  readonly dropped: number
  /** The first and last day of its rows, unknown cards' included; null without rows. */
  readonly first: number | null
  readonly last: number | null
}

interface ReadFiles {
  readonly log: RowLogMemory
  readonly files: readonly CachedFile[]
  /** Ids that are no cards, of these files and of earlier tasks of the thread. */
  readonly unknown: readonly string[]
  readonly rows: number
  /** Of the log, -Infinity without rows. */
  readonly newestDay: number
  readonly problems: FoundProblems
}

/** @param ids may hold unknown ids of earlier tasks */
async function readFiles(
  files: readonly FileToRead[],
  ids: HistoryIds,
  progress: (done: ReadProgress) => void,
): Promise<ReadFiles> {
  const log = new RowLog(ids.numbers)
  const read: CachedFile[] = []
  const problems = new Problems()
  let rowCount = 0
  let newestDay = Number.NEGATIVE_INFINITY
  for (const { file, from } of files) {
    const rows = new FileRows(file.name, ids, log, problems, from)
    const content = new Checksum()
    const onBytes = (chunk: Buffer) => {
      content.add(chunk)
      progress({ bytes: chunk.length, file: file.name })
    }
    await readHistory(file, ids, problems, onBytes, rows.add)
    read.push({ ...stateOf(file), sha256: content.end().sha256, ...rows.totals() })
    rowCount += rows.count
    newestDay = Math.max(newestDay, rows.newestDay)
  }
  return {
    log: log.memory,
    files: read,
    unknown: [...ids.unknown()],
    rows: rowCount,
    newestDay,
    problems: problems.found,
  }
}

/** If it is unchanged, the file is not read again. */
export const stateOf = ({ name, bytes, mtimeMs, ctimeMs }: SnapshotFile) => ({ name, bytes, mtimeMs, ctimeMs })

/** Adds the rows of one file to the log. */
class FileRows {
  count = 0
  /** Of the logged rows. */
  newestDay = Number.NEGATIVE_INFINITY
  #dropped = 0
  #first = Number.POSITIVE_INFINITY
  #last = Number.NEGATIVE_INFINITY
  readonly #name: string
  readonly #ids: HistoryIds
  readonly #log: RowLog
  readonly #problems: Problems
  readonly #from: number
  /** By day, a bit a card: the file has a row of the card and day. */
  readonly #seen = new Map<number, Uint8Array>()
  // Of the day of the row before.
  #day = Number.NaN
  #seenToday: Uint8Array = new Uint8Array(0)

  constructor(name: string, ids: HistoryIds, log: RowLog, problems: Problems, from: number) {
    this.#name = name
    this.#ids = ids
    this.#log = log
    this.#problems = problems
    this.#from = from
  }

  readonly add = (id: number, day: number, market: number, low: number, high: number, line: number): void => {
    this.count++
    if (day !== this.#day) this.#startDay(day)
    if (id >= this.#ids.cards) {
      this.#dropped++
      return
    }
    if (day < this.#from) return
    const seen = this.#seenToday
    const bit = 1 << (id & 7)
    if ((seen[id >> 3]! & bit) !== 0) {
      this.#problems.add(this.#name, line, 'date', 'must be the only row of its card and date', dateOfDay(day))
      return
    }
    seen[id >> 3]! |= bit
    if (day > this.newestDay) this.newestDay = day
    this.#log.add(id, day, market, low, high)
  }

  totals() {
    const empty = this.count === 0
    return {
      rows: this.count,
      dropped: this.#dropped,
      first: empty ? null : this.#first,
      last: empty ? null : this.#last,
    }
  }

  #startDay(day: number): void {
    this.#day = day
    this.#first = Math.min(this.#first, day)
    this.#last = Math.max(this.#last, day)
    let seen = this.#seen.get(day)
    if (seen === undefined) {
      seen = new Uint8Array((this.#ids.cards + 7) >> 3)
      this.#seen.set(day, seen)
    }
    this.#seenToday = seen
  }
}

/** Prepared with the ids of all cards. */
export const rowsJob: Job<IdsMemory, HistoryIds, readonly FileToRead[], ReadFiles> = {
  module: import.meta.url,
  name: 'rowsJob',
  tasksPerThread: 1,
  prepare: (ids) => new HistoryIds(new CardIds(ids)),
  run: (ids, files, onProgress) => readFiles(files, ids, onProgress),
  transfers: () => [],
}
