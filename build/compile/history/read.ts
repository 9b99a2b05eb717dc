/**
 * Reads the rows of `history/` that the base does not have. The base is the history of the current version.
 *
 *   oldest day ◀────────────────────────────────▶ newest day
 *   base   ░░░░░░░░░░░░░░░░░░░░░░░░░░░│······          ░ kept   · rebuilt
 *   files                             └▶ every file with a row of these days is read
 *
 * The rows of a day depend on the files that have rows of that day, and on which ids are cards. So the rebuilt days
 * begin with the earliest day that any changed or removed file had at the last build. They always include the last
 * seven days, since a source may be late. All days are rebuilt instead in each of these cases: a new or changed file
 * has a row of an earlier day; the days to rebuild have no rows any more; a card was removed; an id whose rows had no
 * card is a card now.
 */
import { dateOfDay } from '../../../src/calendar.ts'
import type { CardIds } from '../../read/card-ids.ts'
import type { SnapshotFile } from '../../read/files.ts'
import { type HistoryRow, readHistory } from '../../read/history/history-rows.ts'
import { Problems } from '../../read/snapshot-problems.ts'
import { RowLog } from './row-log.ts'

export type OnProgress = (done: { bytes: number; bytesTotal: number; file: string }) => void

/** A history file as the last build read it. If the file's size or time of change differs now, the file has changed. */
interface CachedFile extends Pick<SnapshotFile, 'name' | 'bytes' | 'ctimeMs'> {
  /** Rows of unknown cards. */
  readonly dropped: number
  /**
   * The first and the last day of the file's rows. Rows of unknown cards are included. Without rows, `first` is
   * Infinity and `last` is -Infinity.
   */
  readonly first: number
  readonly last: number
}

/** The history's part of the build cache. */
export interface HistoryCache {
  readonly files: readonly CachedFile[]
  /** The ids in rows that were not ids of cards. */
  readonly unknown: readonly string[]
  /** The history's newest day, -Infinity without rows. */
  readonly newestDay: number
}

export interface HistoryBase {
  /** The bytes of the current version's history files. */
  readonly parts: readonly Uint8Array[]
  readonly ids: CardIds
  readonly cache: HistoryCache
}

interface RowsRead {
  /** The first rebuilt day; -Infinity if all days are rebuilt. */
  readonly from: number
  /** The rows of `from` and of later days. */
  readonly log: RowLog
  readonly filesRead: number
  readonly rowsRead: number
  readonly cache: HistoryCache
}

export interface HistoryFiles {
  readonly files: readonly SnapshotFile[]
  readonly ids: CardIds
  /** Collects the problems of the files. If there is a problem, the result must not be used. */
  readonly problems: Problems
  readonly progress: OnProgress
}

/** Reads the rows that the base lacks. */
export async function readRows(history: HistoryFiles, base: HistoryBase | null): Promise<RowsRead> {
  const recent = base && (await readRecent(history, base))
  return recent ?? readFiles(history, [], Number.NEGATIVE_INFINITY)
}

/** The newest days of the base that are always rebuilt, since a source may be late. */
const recentDays = 7

/** Reads the rebuilt days. Returns null if all days must be rebuilt, or a file has a problem. */
async function readRecent(history: HistoryFiles, { ids: idsBefore, cache }: HistoryBase): Promise<RowsRead | null> {
  const { files, ids } = history
  if ([...idsBefore.keys()].some((id) => !ids.has(id)) || cache.unknown.some((id) => ids.has(id))) return null
  const found = new Map(files.map((file) => [file.name, file]))
  const isUnchanged = ({ name, bytes, ctimeMs }: CachedFile) => {
    const now = found.get(name)
    return now?.bytes === bytes && now.ctimeMs === ctimeMs
  }
  const changed = cache.files.filter((file) => !isUnchanged(file))
  const from = Math.min(cache.newestDay - recentDays + 1, ...changed.map(({ first }) => first))
  const unchanged = cache.files.filter(isUnchanged)
  const kept = unchanged.filter(({ last }) => last < from)
  const names = new Set(kept.map(({ name }) => name))
  const problems = new Problems()
  const toRead = files.filter(({ name }) => !names.has(name))
  const read = await readFiles({ ...history, files: toRead, problems }, kept, from)
  const readBefore = new Set(unchanged.map(({ name }) => name))
  const isLate = read.cache.files.some(({ name, first }) => first < from && !readBefore.has(name))
  // If the rebuilt days have no rows, the newest day is among the copied days, and the cache does not say which day it
  // is.
  if (problems.count > 0 || isLate || read.cache.newestDay < from) return null
  return { ...read, cache: { ...read.cache, unknown: [...new Set([...cache.unknown, ...read.cache.unknown])] } }
}

/** @param kept the cached files that need not be read */
async function readFiles(
  { files, ids, problems, progress }: HistoryFiles,
  kept: readonly CachedFile[],
  from: number,
): Promise<RowsRead> {
  const unknown = new Set<string>()
  const log = new RowLog(ids.size)
  const bytesTotal = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const cached = new Map(kept.map((file) => [file.name, file]))
  let bytes = 0
  let rowsRead = 0
  let newestDay = Number.NEGATIVE_INFINITY
  for (const file of files) {
    const { counts, onRow } = fileRows({ file, problems, log, from })
    const onBytes = (chunk: Buffer) => {
      bytes += chunk.length
      progress({ bytes, bytesTotal, file: file.name })
    }
    await readHistory({ file, ids, problems, onBytes, onUnknown: (id) => unknown.add(id), onRow })
    const { name, bytes: size, ctimeMs } = file
    const { rows, dropped, first, last } = counts
    cached.set(name, { name, bytes: size, ctimeMs, dropped, first, last })
    rowsRead += rows
    newestDay = Math.max(newestDay, counts.newestDay)
  }
  const cache = { files: [...cached.values()], unknown: [...unknown], newestDay }
  return { from, log, filesRead: files.length, rowsRead, cache }
}

interface FileInput {
  readonly file: SnapshotFile
  readonly problems: Problems
  readonly log: RowLog
  /** Rows of earlier days are only counted. */
  readonly from: number
}

/** Counts the rows of one file, and adds them to the log. `newestDay` is the newest day of the rows that were added. */
function fileRows({ file, problems, log, from }: FileInput) {
  const { NEGATIVE_INFINITY: none, POSITIVE_INFINITY: first } = Number
  const counts = { rows: 0, dropped: 0, first, last: none, newestDay: none }
  /**
   * The rows of the file until now: for each day, a bit for each card, which is 1 if the file has a row of that card
   * and day.
   */
  const seen = new Map<number, Uint8Array>()
  // The day of the previous row.
  let today = Number.NaN
  let seenToday: Uint8Array = new Uint8Array(0)

  const startDay = (day: number): void => {
    today = day
    counts.first = Math.min(counts.first, day)
    counts.last = Math.max(counts.last, day)
    seenToday = seen.get(day) ?? new Uint8Array((log.cards + 7) >> 3)
    seen.set(day, seenToday)
  }
  const onRow = (row: HistoryRow): void => {
    const { card, day, line } = row
    counts.rows++
    if (day !== today) startDay(day)
    if (card === -1) counts.dropped++
    if (card === -1 || day < from) return
    const bit = 1 << (card & 7)
    if ((seenToday[card >> 3]! & bit) !== 0) {
      problems.add(`${file.name}:${line}`, 'date', 'must be the only row of its card and date', dateOfDay(day))
      return
    }
    seenToday[card >> 3]! |= bit
    if (day > counts.newestDay) counts.newestDay = day
    log.add(card, row)
  }
  return { counts, onRow }
}
