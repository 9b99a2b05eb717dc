/**
 * The history, from the files of `history/` and what an earlier version made of them.
 *
 *   files ─▶ plan: changed ones, days to make anew ─▶ read, in groups ─▶ logs of rows ─┐
 *   base ──────────────────────────────────────────────────────────────────────────────┴─▶ merge, by cards ─▶ parts
 *
 * A day's rows depend on the files that have rows of that day, and on which ids are cards. So where a file is new,
 * gone or changed, or an id has become a card or ceased to be one, the days between its first and last row are made
 * anew, from all files that have rows between them; all other rows are taken over. The bytes are those of a build
 * without a base.
 */
import { dateOfDay, noDay } from '../../../src/calendar.ts'
import { change } from '../../../src/indexes/changes-file.ts'
import { writeHistoryFile } from '../../../src/indexes/history-file.ts'
import { partCards } from '../../../src/limits.ts'
import type { CardIds } from '../../read/card-ids.ts'
import { type SnapshotFile, snapshotFiles } from '../../read/files.ts'
import type { Problems } from '../../read/problems.ts'
import type { WorkerPool } from '../../workers/pool.ts'
import type { DayRange, DaySet } from './days.ts'
import type { RowLogMemory } from './log.ts'
import { daysOfNote, type FileNote, type HistoryMemory } from './memory.ts'
import type { CardRange, MergedSeries } from './merge.ts'
import { baseMemory, type HistoryBase, newestKept, type Plan, planHistory } from './plan.ts'
import type { FileToRead, ReadProgress } from './read.ts'

export type { HistoryMemory } from './memory.ts'

export type OnProgress = (done: { bytes: number; bytesTotal: number; file: string }) => void

interface HistoryInput {
  /** The snapshot folder. */
  readonly snapshots: string
  readonly ids: CardIds
  readonly base: HistoryBase | null
  /** Gets what is wrong with the files; the caller checks it and then makes no use of the result. */
  readonly problems: Problems
  readonly progress: OnProgress
  readonly crew: WorkerPool
  /** Gets the pieces of a part's file as soon as it is done: that with the cards from `part * partCards` on. */
  readonly onPart: (part: number, pieces: readonly Uint8Array[]) => void
}

export interface HistoryResult {
  /** How many there are. */
  readonly parts: number
  /** YYYY-MM-DD, null without rows. */
  readonly newestDate: string | null
  /** How prices have changed up to it, as the changes file has it. */
  readonly changes: Uint32Array
  readonly report: {
    readonly files: number
    readonly filesRead: number
    /** In the history: one a card and date, known cards alone. */
    readonly rows: number
    readonly rowsRead: number
    /** Of unknown cards, in all files. */
    readonly dropped: number
    /** Of all parts. */
    readonly bytes: number
  }
  /** What the next build needs to reuse this one. */
  readonly memory: HistoryMemory
}

export async function compileHistory(input: HistoryInput): Promise<HistoryResult> {
  const { ids, base, crew } = input
  const files = await snapshotFiles(input.snapshots, 'history', 'csv', input.problems)
  const series = baseMemory(base, ids)
  const plan = await planHistory(files, base?.memory, ids, series)
  const read = await readChanged(files, plan, input)
  const seriesOfBase = { parts: series.parts, numbers: series.numbers }
  const newestBefore = (base?.memory.files ?? []).reduce((newest, { last }) => Math.max(newest, last ?? newest), noDay)
  // No row that stays can be newer than all that were there.
  const isNewest = read.newestDay >= newestBefore
  const newestDay = isNewest ? read.newestDay : Math.max(read.newestDay, newestKept(seriesOfBase, ids.count, plan.days))
  crew.prepare('series', { logs: read.logs, base: seriesOfBase, days: plan.days.ranges, newestDay })
  const changes = new Uint32Array(ids.count * change.size)
  const parts = await Promise.all(
    partRanges(ids.count).map(async (ranges, part): Promise<PartTotals> => {
      const slices = await Promise.all(ranges.map((range) => crew.do('series', range)))
      for (const [i, { first }] of ranges.entries()) changes.set(slices[i]!.changes, first * change.size)
      const pieces = historyFile(slices)
      input.onPart(part, pieces)
      const sum = (of: (slice: MergedSeries) => number) => slices.reduce((total, slice) => total + of(slice), 0)
      return {
        bytes: pieces.reduce((total, { length }) => total + length, 0),
        rowsAdded: sum(({ rowsAdded }) => rowsAdded),
        rowsDropped: sum(({ rowsDropped }) => rowsDropped),
      }
    }),
  )
  const sum = (of: (part: PartTotals) => number) => parts.reduce((total, part) => total + of(part), 0)
  const rowsBefore = (base?.memory.rows ?? 0) - plan.rowsRemoved
  const rows = rowsBefore - sum(({ rowsDropped }) => rowsDropped) + sum(({ rowsAdded }) => rowsAdded)
  const notes = files.map(({ name }) => (read.notes.get(name) ?? plan.unchanged.get(name))!)
  return {
    parts: parts.length,
    newestDate: Number.isFinite(newestDay) ? dateOfDay(newestDay) : null,
    changes,
    report: {
      files: files.length,
      filesRead: read.notes.size,
      rows,
      rowsRead: read.rows,
      dropped: notes.reduce((sum, note) => sum + note.dropped, 0),
      bytes: sum(({ bytes }) => bytes),
    },
    memory: { files: notes, unknown: rememberUnknown(base?.memory, read.unknown, ids, plan.days), rows },
  }
}

interface PartTotals extends Pick<MergedSeries, 'rowsAdded' | 'rowsDropped'> {
  readonly bytes: number
}

/** So many cards are merged by one task. */
const cardsATask = partCards / 64

/** For each part the ranges of cards that are merged together. */
function partRanges(cards: number): CardRange[][] {
  const parts: CardRange[][] = []
  for (let first = 0; first < cards; first += cardsATask) {
    const range = { first, count: Math.min(cardsATask, cards - first) }
    if (first % partCards === 0) parts.push([range])
    else parts.at(-1)!.push(range)
  }
  return parts
}

/** The pieces of a part's file. */
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
  /** Each of later files than those before it. */
  readonly logs: readonly RowLogMemory[]
  readonly notes: ReadonlyMap<string, FileNote>
  readonly unknown: ReadonlyMap<string, DayRange>
  readonly rows: number
  /** Of the rows in the logs, -Infinity without any. */
  readonly newestDay: number
}

/**
 * Reads the changed files and those that share days with them, and adds the days of the changed ones to the plan's.
 * Only where a changed file reaches into days that unchanged ones hold, too, they are read a second time, together:
 * the later file counts, so all must be read in their order.
 */
async function readChanged(files: readonly SnapshotFile[], plan: Plan, input: HistoryInput): Promise<ReadResult> {
  const { days, unchanged } = plan
  const { problems } = input
  const problemsBefore = problems.count
  const isChanged = (file: SnapshotFile) => !unchanged.has(file.name)
  const read = () => {
    const wanted = files.filter((file) => isChanged(file) || overlaps(days, daysOfNote(unchanged.get(file.name)!)))
    const toRead = wanted.map((file) => ({ file, days: isChanged(file) ? null : days.ranges }))
    return readInGroups(toRead, input)
  }
  const first = await read()
  const found = files.filter(isChanged).flatMap((file) => daysOfNote(first.notes.get(file.name)!) ?? [])
  const news = found.filter((range) => !days.covers(range))
  for (const range of found) days.add(range)
  const shared = [...unchanged.values()].some((note) => {
    const held = daysOfNote(note)
    return held !== null && news.some((range) => range.first <= held.last && range.last >= held.first)
  })
  return shared && problems.count === problemsBefore ? read() : first
}

/** Several for each thread, so that one that is held up does not hold up all. */
const groupsAThread = 3

/** Files on end in groups of about as many bytes, each read by one thread; what they held, in their order. */
async function readInGroups(
  files: readonly FileToRead[],
  { ids, problems, progress, crew }: HistoryInput,
): Promise<ReadResult> {
  const bytesTotal = files.reduce((sum, { file }) => sum + file.bytes, 0)
  crew.expect(bytesTotal)
  crew.prepare('rows', ids.memory)
  let bytes = 0
  const report = (done: unknown) => {
    const news = done as ReadProgress
    bytes += news.bytes
    progress({ bytes, bytesTotal, file: news.file })
  }
  const groups = inGroups(files, bytesTotal, crew.size === 1 ? 1 : crew.size * groupsAThread)
  const read = await Promise.all(groups.map((group) => crew.do('rows', group, report)))
  const unknown = new Map<string, DayRange>()
  for (const group of read) {
    problems.append(group.problems)
    for (const [id, { first, last }] of group.unknown) {
      const { first: earliest, last: latest } = unknown.get(id) ?? { first, last }
      unknown.set(id, { first: Math.min(first, earliest), last: Math.max(last, latest) })
    }
  }
  return {
    logs: read.map(({ log }) => log),
    notes: new Map(read.flatMap((group) => group.notes).map((note) => [note.name, note])),
    unknown,
    rows: read.reduce((sum, group) => sum + group.rows, 0),
    newestDay: read.reduce((newest, group) => Math.max(newest, group.newestDay), Number.NEGATIVE_INFINITY),
  }
}

function inGroups(files: readonly FileToRead[], bytesTotal: number, count: number): FileToRead[][] {
  const groups: FileToRead[][] = []
  let bytes = 0
  for (const file of files) {
    // By where its middle lies.
    const group = Math.min(count - 1, Math.floor((count * (bytes + file.file.bytes / 2)) / Math.max(bytesTotal, 1)))
    groups[group] ??= []
    groups[group].push(file)
    bytes += file.file.bytes
  }
  // A group that a large file leaves empty is passed over.
  return groups.flatMap((group) => [group])
}

const overlaps = (days: DaySet, range: DayRange | null): boolean => range !== null && days.overlaps(range)

/** What was read now counts; of what was remembered before, all that lies outside the days made anew. */
function rememberUnknown(
  before: HistoryMemory | undefined,
  read: ReadonlyMap<string, DayRange>,
  ids: CardIds,
  days: DaySet,
): HistoryMemory['unknown'] {
  const ranges = new Map(read)
  if (before !== undefined && before.unknown.ids.length > 0) {
    before.unknown.ids.forEach((id, i) => {
      const range = { first: before.unknown.first[i]!, last: before.unknown.last[i]! }
      if (ids.has(id) || days.covers(range)) return
      const now = ranges.get(id) ?? range
      ranges.set(id, { first: Math.min(now.first, range.first), last: Math.max(now.last, range.last) })
    })
  }
  return {
    ids: [...ranges.keys()],
    first: Array.from(ranges.values(), ({ first }) => first),
    last: Array.from(ranges.values(), ({ last }) => last),
  }
}
