/** Which history files a build must read, and of which days it must make the rows anew. */

import { type HistoryFile, readHistoryFile } from '../../../src/indexes/history-file.ts'
import { SeriesReader } from '../../../src/indexes/series/codec.ts'
import { partCards, partCardsShift } from '../../../src/limits.ts'
import type { CardIds } from '../../read/card-ids.ts'
import { type SnapshotFile, sha256Of } from '../../read/files.ts'
import { DaySet } from './days.ts'
import { daysOfNote, type FileNote, type HistoryMemory } from './memory.ts'
import { stateOf } from './read.ts'

/** A version whose work is reused. */
export interface HistoryBase {
  /** The bytes of its history files. */
  readonly parts: readonly Uint8Array[]
  readonly ids: CardIds
  readonly memory: HistoryMemory
}

const none = -1

/** The base's series as they pass between threads. */
export interface BaseMemory {
  /** The bytes of its history files. */
  readonly parts: readonly Uint8Array[]
  /** By card number: its number in the base, or -1; undefined if all are the same. */
  readonly numbers: Int32Array | undefined
}

/** The base's series by the card numbers of now, and the numbers there of the cards that are no more. */
export function baseMemory(base: HistoryBase | null, ids: CardIds): BaseMemory & { removed: number[] } {
  if (base === null) return { parts: [], numbers: new Int32Array(ids.count).fill(none), removed: [] }
  const { parts, ids: old } = base
  if (old.equals(ids)) return { parts, numbers: undefined, removed: [] }
  const { bytes, at } = ids.memory
  const numbers = Int32Array.from({ length: ids.count }, (_, i) => old.find(bytes, at[i]!, at[i + 1]!))
  const kept = new Set(numbers)
  const removed = Array.from({ length: old.count }, (_, number) => number).filter((number) => !kept.has(number))
  return { parts, numbers, removed }
}

export class BaseSeries {
  readonly #parts: readonly HistoryFile[]
  readonly #numbers: Int32Array | undefined

  constructor({ parts, numbers }: BaseMemory) {
    this.#parts = parts.map(readHistoryFile)
    this.#numbers = numbers
  }

  /** Where the card's series lies; undefined if the base has no rows of it. */
  of(card: number): SeriesBytes | undefined {
    return this.ofBase(this.#numbers === undefined ? card : this.#numbers[card]!)
  }

  /** The same, by the number that the card has in the base. */
  ofBase(number: number): SeriesBytes | undefined {
    const part = number === none ? undefined : this.#parts[number >> partCardsShift]
    if (part === undefined) return undefined
    const i = number & (partCards - 1)
    const start = part.at[i]!
    const end = part.at[i + 1]!
    return start === end ? undefined : { bytes: part.series, start, end }
  }
}

/** The newest day of the base's rows that stay, -Infinity if none does. */
export function newestKept(base: BaseMemory, cards: number, days: DaySet): number {
  const series = new BaseSeries(base)
  const reader = new SeriesReader()
  let newest = Number.NEGATIVE_INFINITY
  for (let card = 0; card < cards; card++) {
    const old = series.of(card)
    if (old === undefined) continue
    reader.open(old.bytes, old.start)
    do {
      const oldest = reader.day - reader.days + 1
      for (let day = reader.day; day >= oldest && day > newest; day--) if (!days.has(day)) newest = day
    } while (reader.day > newest && reader.next())
  }
  return newest
}

interface SeriesBytes {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

export interface Plan {
  /** Files that the base knows with the same content: their notes, by name. */
  readonly unchanged: ReadonlyMap<string, FileNote>
  /** Days whose rows must be made anew, as far as is known before the changed files are read. */
  readonly days: DaySet
  /** How many rows the base has of cards that are no more. */
  readonly rowsRemoved: number
}

export async function planHistory(
  files: readonly SnapshotFile[],
  memory: HistoryMemory | undefined,
  ids: CardIds,
  base: BaseMemory & { readonly removed: readonly number[] },
): Promise<Plan> {
  const unchanged = new Map<string, FileNote>()
  const days = new DaySet()
  const notes = new Map(memory?.files.map((note) => [note.name, note]))
  for (const file of files) {
    const note = notes.get(file.name)
    if (note === undefined || !(await isUnchanged(file, note))) continue
    unchanged.set(file.name, { ...note, ...stateOf(file) })
  }
  for (const note of notes.values()) {
    const range = daysOfNote(note)
    if (range !== null && !unchanged.has(note.name)) days.add(range)
  }
  addNowKnown(days, memory, ids)
  let rowsRemoved = 0
  const series = new BaseSeries(base)
  for (const number of base.removed) rowsRemoved += addRemoved(days, series.ofBase(number))
  return { unchanged, days, rowsRemoved }
}

async function isUnchanged(file: SnapshotFile, note: FileNote): Promise<boolean> {
  if (file.bytes !== note.bytes) return false
  if (file.mtimeMs === note.mtimeMs && file.ctimeMs === note.ctimeMs) return true
  return (await sha256Of(file)) === note.sha256
}

/** The days of the ids that were unknown and now are cards. */
function addNowKnown(days: DaySet, memory: HistoryMemory | undefined, ids: CardIds): void {
  if (memory === undefined || memory.unknown.ids.length === 0) return
  memory.unknown.ids.forEach((id, i) => {
    if (ids.has(id)) days.add({ first: memory.unknown.first[i]!, last: memory.unknown.last[i]! })
  })
}

/** The days of a card that is no more; how many rows it has. */
function addRemoved(days: DaySet, series: SeriesBytes | undefined): number {
  if (series === undefined) return 0
  const reader = new SeriesReader()
  reader.open(series.bytes, series.start)
  const last = reader.day
  let rows = reader.days
  while (reader.next()) rows += reader.days
  days.add({ first: reader.day - reader.days + 1, last })
  return rows
}
