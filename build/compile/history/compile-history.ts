/**
 * Compiles the history. The rows that were read come first, and the rows of the base follow. The base is the history of
 * the current version.
 *
 *   newest day ◀──────────────────────────────────────────▶ oldest day
 *   rows read:  ████████████████████████│
 *   base:       ························│░░░░░░░░░░░░░░░░░░          · dropped   ░ bytes are copied
 *                                       └ the oldest rebuilt day is left of this line
 *
 * A build without a base would write the same bytes.
 */

import { dateOfDay } from '../../../src/calendar.ts'
import { change } from '../../../src/indexes/changes-file.ts'
import { partCards, partCardsShift } from '../../../src/indexes/format.ts'
import { readHistoryFile, writeHistoryFile } from '../../../src/indexes/history-file.ts'
import { SeriesReader, SeriesWriter } from '../../../src/indexes/series/codec.ts'
import type { CardIds } from '../../read/card-ids.ts'
import { snapshotFiles } from '../../read/files.ts'
import { type HistoryBase, type HistoryCache, type HistoryFiles, readRows } from './read.ts'
import { readChanges, type SeriesBytes } from './series-changes.ts'

interface HistoryInput extends Omit<HistoryFiles, 'files'> {
  /** The snapshot folder. */
  readonly snapshots: string
  readonly base: HistoryBase | null
}

export interface HistoryResult {
  /** The pieces of each part's file. */
  readonly parts: readonly (readonly Uint8Array[])[]
  /** YYYY-MM-DD, null without rows. */
  readonly newestDate: string | null
  /** The price changes of all cards up to `newestDate`, laid out as in the changes file. */
  readonly changes: Uint32Array
  /** For each card, the day since which its prices are unchanged; `noDay` for a card without rows. */
  readonly changedOn: Int32Array
  readonly report: {
    readonly files: number
    readonly filesRead: number
    /** The number of rows in the history. A known card has at most one row a date. */
    readonly rows: number
    readonly rowsRead: number
    /** The number of rows of unknown cards, in all files. */
    readonly dropped: number
  }
  readonly cache: HistoryCache
}

export async function compileHistory({ snapshots, base, ...input }: HistoryInput): Promise<HistoryResult> {
  const { ids, problems } = input
  const files = await snapshotFiles(snapshots, 'history', 'csv', problems)
  const read = await readRows({ files, ...input }, base)
  const { newestDay } = read.cache
  const inBase = read.from > Number.NEGATIVE_INFINITY ? seriesIn(base!, ids) : () => undefined
  const changes = new Uint32Array(ids.size * change.size)
  const changedOn = new Int32Array(ids.size)
  const parts: Uint8Array[][] = []
  let rows = 0
  for (let first = 0; first < ids.size; first += partCards) {
    const count = Math.min(partCards, ids.size - first)
    const at = new Uint32Array(count + 1)
    const writer = new SeriesWriter(count * 64)
    for (let i = 0; i < count; i++) {
      for (const run of read.log.runsOf(first + i)) writer.run(run)
      endSeries(writer, inBase(first + i), read.from)
      at[i + 1] = writer.length
    }
    for (let card = first; card < first + count; card++) {
      const place = { bytes: writer.bytes, start: at[card - first]!, end: at[card - first + 1]! }
      const ofCard = readChanges(place, newestDay, changes.subarray(card * change.size, (card + 1) * change.size))
      rows += ofCard.rows
      changedOn[card] = ofCard.changedOn
    }
    parts.push(writeHistoryFile({ at, series: writer.bytes }))
  }
  return {
    parts,
    newestDate: Number.isFinite(newestDay) ? dateOfDay(newestDay) : null,
    changes,
    changedOn,
    report: {
      files: files.length,
      filesRead: read.filesRead,
      rows,
      rowsRead: read.rowsRead,
      dropped: read.cache.files.reduce((sum, { dropped }) => sum + dropped, 0),
    },
    cache: read.cache,
  }
}

/** Returns a function that finds a card's series in the base. It returns undefined for a card that the base lacks. */
function seriesIn({ parts, ids: idsBefore }: HistoryBase, ids: CardIds) {
  const files = parts.map(readHistoryFile)
  const numbers = Array.from(ids.keys(), (id) => idsBefore.get(id))
  return (card: number): SeriesBytes | undefined => {
    const number = numbers[card]
    if (number === undefined) return undefined
    const { at, series } = files[number >> partCardsShift]!
    const i = number & (partCards - 1)
    return { bytes: series, start: at[i]!, end: at[i + 1]! }
  }
}

const reader = new SeriesReader()

/** Ends the series with the base's rows of days before `from`. */
function endSeries(writer: SeriesWriter, base: SeriesBytes | undefined, from: number): void {
  if (base !== undefined && base.start < base.end) {
    reader.open(base.bytes, base.start)
    do {
      if (reader.day - reader.days + 1 >= from) continue
      if (reader.day >= from) reader.cutBefore(from)
      writer.endWith(reader, base.bytes, base.end)
      return
    } while (reader.next())
  }
  writer.end()
}
