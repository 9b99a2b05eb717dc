/**
 * Compiles the history, from the files of `history/` and the base's series.
 *
 *   files ─▶ plan: changed files, first day to rebuild ─▶ read, in groups ─▶ logs of rows ─┐
 *   base ──────────────────────────────────────────────────────────────────────────────────┴─▶ merge, by cards ─▶ parts
 *
 * A day's rows depend on the files that have rows of that day, and on which ids are cards. So if a file is new, removed or
 * changed, all days from its first row on are rebuilt, from all files that have rows of them. If an id with rows has become a
 * card or is no longer one, all days are. Older rows are copied from the base. The bytes are those of a build without a base.
 */
import { dateOfDay } from '../../../src/calendar.ts'
import { change } from '../../../src/indexes/changes-file.ts'
import { writeHistoryFile } from '../../../src/indexes/history-file.ts'
import { partCards } from '../../../src/limits.ts'
import { allEnded } from '../../all-ended.ts'
import type { CardIds } from '../../read/card-ids.ts'
import { type SnapshotFile, snapshotFiles } from '../../read/files.ts'
import type { Problems } from '../../read/problems.ts'
import type { WorkerPool } from '../../workers/pool.ts'
import type { RowLogMemory } from './log.ts'
import { type CardRange, type MergedSeries, seriesJob } from './merge.ts'
import { baseMemory, type HistoryBase, type HistoryCache, type Plan, planHistory } from './plan.ts'
import { type CachedFile, type FileToRead, type ReadProgress, rowsJob } from './read.ts'

export type OnProgress = (done: { bytes: number; bytesTotal: number; file: string }) => void

interface HistoryInput {
  /** The snapshot folder. */
  readonly snapshots: string
  readonly ids: CardIds
  readonly base: HistoryBase | null
  /** Gets the files' problems. If it has any, the result means nothing. */
  readonly problems: Problems
  readonly progress: OnProgress
  readonly pool: WorkerPool
  /** Gets the content of a part's file as soon as it is done: of the cards from `part * partCards` on. */
  readonly onPart: (part: number, pieces: readonly Uint8Array[]) => void
}

export interface HistoryResult {
  readonly parts: number
  /** YYYY-MM-DD, null without rows. */
  readonly newestDate: string | null
  /** How prices have changed up to that date, as in the changes file. */
  readonly changes: Uint32Array
  /** By card number, the first day of its newest equal rows, `noDay` without rows. */
  readonly changedOn: Int32Array
  readonly report: {
    readonly files: number
    readonly filesRead: number
    /** In the history: one a card and date, of known cards. */
    readonly rows: number
    readonly rowsRead: number
    /** Rows of unknown cards, in all files. */
    readonly dropped: number
    /** Of all parts. */
    readonly bytes: number
  }
  /** For the next build. */
  readonly cache: HistoryCache
}

export async function compileHistory(input: HistoryInput): Promise<HistoryResult> {
  const { ids, base, pool } = input
  const files = await snapshotFiles(input.snapshots, 'history', 'csv', input.problems)
  const series = baseMemory(base, ids)
  const plan = await planHistory(files, base?.cache, ids, series)
  const { from, read } = await readChanged(files, plan, input)
  const newestBefore = base?.cache.newestDay ?? Number.NEGATIVE_INFINITY
  const newestDay = Math.max(read.newestDay, from > newestBefore ? newestBefore : Number.NEGATIVE_INFINITY)
  const seriesOfBase = { parts: series.parts, numbers: series.numbers }
  pool.prepare(seriesJob, { logs: read.logs, base: seriesOfBase, from, newestDay })
  const changes = new Uint32Array(ids.count * change.size)
  const changedOn = new Int32Array(ids.count)
  const parts = await allEnded(
    partRanges(ids.count).map(async (ranges, part) => {
      const slices = await allEnded(ranges.map((range) => pool.run(seriesJob, range)))
      for (const [i, { first }] of ranges.entries()) {
        changes.set(slices[i]!.changes, first * change.size)
        changedOn.set(slices[i]!.changedOn, first)
      }
      const pieces = historyFile(slices)
      input.onPart(part, pieces)
      const bytes = pieces.reduce((total, { length }) => total + length, 0)
      return { bytes, rows: slices.reduce((total, { rows }) => total + rows, 0) }
    }),
  )
  const unknown = new Set([...read.unknown, ...(base?.cache.unknown ?? [])])
  const cachedFiles = files.map(({ name }) => (read.files.get(name) ?? plan.unchanged.get(name))!)
  return {
    parts: parts.length,
    newestDate: Number.isFinite(newestDay) ? dateOfDay(newestDay) : null,
    changes,
    changedOn,
    report: {
      files: files.length,
      filesRead: read.files.size,
      rows: parts.reduce((sum, { rows }) => sum + rows, 0),
      rowsRead: read.rows,
      dropped: cachedFiles.reduce((sum, file) => sum + file.dropped, 0),
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    },
    cache: { files: cachedFiles, unknown: [...unknown].filter((id) => !ids.has(id)), newestDay },
  }
}

const cardsATask = partCards / 64

/** For each part the ranges of cards that are one task each. */
function partRanges(cards: number): CardRange[][] {
  const parts: CardRange[][] = []
  for (let first = 0; first < cards; first += cardsATask) {
    const range = { first, count: Math.min(cardsATask, cards - first) }
    if (first % partCards === 0) parts.push([range])
    else parts.at(-1)!.push(range)
  }
  return parts
}

function historyFile(slices: readonly MergedSeries[]): Uint8Array[] {
  const at = new Uint32Array(1 + slices.reduce((sum, { ends }) => sum + ends.length, 0))
  let card = 0
  let size = 0
  for (const { series, ends } of slices) {
    for (const end of ends) at[++card] = size + end
    size += series.length
  }
  return writeHistoryFile({ at, series: { byteLength: size, pieces: slices.map(({ series }) => series) } })
}

interface ReadResult {
  /** In the order of files. */
  readonly logs: readonly RowLogMemory[]
  /** By name. */
  readonly files: ReadonlyMap<string, CachedFile>
  readonly unknown: ReadonlySet<string>
  readonly rows: number
  /** Of the rows in the logs, -Infinity without any. */
  readonly newestDay: number
}

/**
 * Reads the changed files and all files with rows of the days to rebuild. A changed file shows only when it is read from which day
 * on that is. For one card and day the later file's row counts, so if others have rows from there on, all are read again in order.
 */
async function readChanged(
  files: readonly SnapshotFile[],
  plan: Plan,
  input: HistoryInput,
): Promise<{ from: number; read: ReadResult }> {
  const { problems, base } = input
  const problemsBefore = problems.count
  const { unchanged } = plan
  const readFrom = (from: number) => {
    const wanted = files.filter(({ name }) => (unchanged.get(name)?.last ?? Number.POSITIVE_INFINITY) >= from)
    return readInGroups(
      wanted.map((file) => ({ file, from: unchanged.has(file.name) ? from : Number.NEGATIVE_INFINITY })),
      input,
    )
  }
  const read = await readFrom(plan.from)
  const firsts = Array.from(read.files.values(), ({ name, first }) => (unchanged.has(name) ? null : first))
  let from = firsts.reduce<number>((earliest, first) => Math.min(earliest, first ?? earliest), plan.from)
  // Without rows in the rebuilt days, the newest day that is kept is not known.
  const lacksNewest = read.newestDay < from && from <= (base?.cache.newestDay ?? Number.NEGATIVE_INFINITY)
  if (lacksNewest) from = Number.NEGATIVE_INFINITY
  const isShared = Array.from(unchanged.values()).some(
    ({ first, last }) => first !== null && last !== null && last >= from && first < plan.from,
  )
  const isReadAgain = from < plan.from && isShared && problems.count === problemsBefore
  return { from, read: isReadAgain ? await readFrom(from) : read }
}

/** Several, so that a slow thread does not delay all. */
const groupsPerThread = 3

/** Reads consecutive files in groups of about equal size, each group in one task. */
async function readInGroups(
  files: readonly FileToRead[],
  { ids, problems, progress, pool }: HistoryInput,
): Promise<ReadResult> {
  const bytesTotal = files.reduce((sum, { file }) => sum + file.bytes, 0)
  pool.expect(bytesTotal)
  pool.prepare(rowsJob, ids.memory)
  let bytes = 0
  const onProgress = (done: unknown) => {
    const added = done as ReadProgress
    bytes += added.bytes
    progress({ bytes, bytesTotal, file: added.file })
  }
  const groups = inGroups(files, bytesTotal, pool.size === 1 ? 1 : pool.size * groupsPerThread)
  const read = await allEnded(groups.map((group) => pool.run(rowsJob, group, onProgress)))
  for (const group of read) problems.append(group.problems)
  return {
    logs: read.map(({ log }) => log),
    files: new Map(read.flatMap((group) => group.files).map((file) => [file.name, file])),
    unknown: new Set(read.flatMap((group) => group.unknown)),
    rows: read.reduce((sum, group) => sum + group.rows, 0),
    newestDay: read.reduce((newest, group) => Math.max(newest, group.newestDay), Number.NEGATIVE_INFINITY),
  }
}

function inGroups(files: readonly FileToRead[], bytesTotal: number, count: number): FileToRead[][] {
  const groups: FileToRead[][] = []
  let bytes = 0
  for (const file of files) {
    // By the position of its middle.
    const group = Math.min(count - 1, Math.floor((count * (bytes + file.file.bytes / 2)) / Math.max(bytesTotal, 1)))
    groups[group] ??= []
    groups[group].push(file)
    bytes += file.file.bytes
  }
  // flatMap skips groups that a large file leaves empty.
  return groups.flatMap((group) => [group])
}
