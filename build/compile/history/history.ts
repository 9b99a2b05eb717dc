/**
 * The history, from the files of `history/` and what an earlier version made of them.
 *
 *   files ─▶ plan: changed ones, days to make anew ─▶ read ─▶ log of rows ─┐
 *   base ──────────────────────────────────────────────────────────────────┴─▶ merge ─▶ parts
 *
 * A day's rows depend on the files that have rows of that day, and on which ids are cards. So where a file is new,
 * gone or changed, or an id has become a card or ceased to be one, the days between its first and last row are made
 * anew, from all files that have rows between them; all other rows are taken over. The bytes are those of a build
 * without a base.
 */
import { dateOfDay } from '../../../src/calendar.ts'
import { partCards } from '../../../src/limits.ts'
import { type SnapshotFile, snapshotFiles } from '../../read/files.ts'
import type { Problems } from '../../read/problems.ts'
import type { DayRange, DaySet } from './days.ts'
import { daysOfNote, type HistoryMemory } from './memory.ts'
import { HistoryMerge } from './merge.ts'
import { BaseSeries, type HistoryBase, type Plan, planHistory } from './plan.ts'
import { type OnProgress, type ReadResult, readFiles } from './read.ts'

export type { HistoryMemory } from './memory.ts'

interface HistoryInput {
  /** The snapshot folder. */
  readonly snapshots: string
  /** By card number. */
  readonly ids: readonly string[]
  readonly base: HistoryBase | null
  /** Gets what is wrong with the files; the caller checks it and then makes no use of the result. */
  readonly problems: Problems
  readonly progress: OnProgress
}

export interface HistoryResult {
  /** Part k: the pieces of the file with the cards from `k * partCards` on. */
  readonly parts: readonly Uint8Array[][]
  /** YYYY-MM-DD, null without rows. */
  readonly newestDate: string | null
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
  const { ids, base } = input
  const files = await snapshotFiles(input.snapshots, 'history', 'csv', input.problems)
  const series = new BaseSeries(base, ids)
  const plan = await planHistory(files, base?.memory, ids, series)
  const read = await readChanged(files, plan, input)
  const merge = new HistoryMerge(read.log, series, plan.days)
  const parts: Uint8Array[][] = []
  for (let part = 0; part * partCards < ids.length; part++) parts.push(merge.part(part, ids.length))

  const rows = (base?.memory.rows ?? 0) - plan.rowsRemoved - merge.rowsDropped + merge.rowsAdded
  const notes = files.map(({ name }) => (read.notes.get(name) ?? plan.unchanged.get(name))!)
  return {
    parts,
    newestDate: Number.isFinite(merge.newestDay) ? dateOfDay(merge.newestDay) : null,
    report: {
      files: files.length,
      filesRead: read.notes.size,
      rows,
      rowsRead: read.rows,
      dropped: notes.reduce((sum, note) => sum + note.dropped, 0),
      bytes: parts.flat().reduce((sum, piece) => sum + piece.length, 0),
    },
    memory: { files: notes, unknown: rememberUnknown(base?.memory, read.unknown, ids, plan.days), rows },
  }
}

/**
 * Reads the changed files and those that share days with them, and adds the days of the changed ones to the plan's.
 * Only where a changed file reaches into days that unchanged ones hold, too, they are read a second time, together:
 * the later file counts, so all must be read in their order.
 */
async function readChanged(files: readonly SnapshotFile[], plan: Plan, input: HistoryInput): Promise<ReadResult> {
  const { days, unchanged } = plan
  const { ids, problems, progress } = input
  const problemsBefore = problems.count
  const isChanged = (file: SnapshotFile) => !unchanged.has(file.name)
  const read = () => {
    const wants = (file: SnapshotFile) => (isChanged(file) ? () => true : (day: number) => days.has(day))
    const wanted = files.filter((file) => isChanged(file) || overlaps(days, daysOfNote(unchanged.get(file.name)!)))
    return readFiles(
      wanted.map((file) => ({ file, wants: wants(file) })),
      ids,
      problems,
      progress,
    )
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

const overlaps = (days: DaySet, range: DayRange | null): boolean => range !== null && days.overlaps(range)

/** What was read now counts; of what was remembered before, all that lies outside the days made anew. */
function rememberUnknown(
  before: HistoryMemory | undefined,
  read: ReadonlyMap<string, DayRange>,
  ids: readonly string[],
  days: DaySet,
): HistoryMemory['unknown'] {
  const ranges = new Map(read)
  if (before !== undefined && before.unknown.ids.length > 0) {
    const known = new Set(ids)
    before.unknown.ids.forEach((id, i) => {
      const range = { first: before.unknown.first[i]!, last: before.unknown.last[i]! }
      if (known.has(id) || days.covers(range)) return
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
