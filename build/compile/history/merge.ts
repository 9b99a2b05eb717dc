/**
 * Merges the rows that were read with the series of the base:
 *
 *   newest ◀──────────────────────────────────────────────▶ oldest
 *   rows read:          ███   ██
 *   base:          ░░░░░···░░░··░░░░░░░░│░░░░░░░░░░░░░░░░░░          · on rebuilt days: dropped
 *                  decoded, merged      │ bytes copied
 *                                       └ the oldest rebuilt day
 *
 * If all new rows are newer than the base, only the first run of each series is decoded. Price changes are read from the new
 * series while they are in the processor's cache.
 */

import { change } from '../../../src/indexes/changes-file.ts'
import { SeriesReader, SeriesWriter } from '../../../src/indexes/series/codec.ts'
import type { Job } from '../../workers/pool.ts'
import { ChangesReader } from './changes.ts'
import { type DayRange, DaySet } from './days.ts'
import { RowLog, type RowLogMemory, RowLogs, Rows } from './log.ts'
import { type BaseMemory, BaseSeries } from './plan.ts'

/** The input of all tasks. */
export interface MergeInput {
  readonly logs: readonly RowLogMemory[]
  readonly base: BaseMemory
  /** The rebuilt days: the base's rows of these days are dropped. */
  readonly days: readonly DayRange[]
  /** Of the merged series. */
  readonly newestDay: number
}

/** Consecutive cards. */
export interface CardRange {
  readonly first: number
  readonly count: number
}

export interface MergedSeries {
  readonly series: Uint8Array<ArrayBuffer>
  /** Where each card's series ends. */
  readonly ends: Uint32Array<ArrayBuffer>
  /** How each card's price has changed, as in the changes file. */
  readonly changes: Uint32Array<ArrayBuffer>
  /** Rows from the logs, and rows of the base that they replace. */
  readonly rowsAdded: number
  readonly rowsDropped: number
}

class HistoryMerge {
  #rowsAdded = 0
  #rowsDropped = 0
  readonly #logs: RowLogs
  readonly #base: BaseSeries
  readonly #days: DaySet
  readonly #reader = new SeriesReader()
  readonly #changes: ChangesReader
  readonly #rows = new Rows()
  /** The base's rows that are kept and newer than the oldest rebuilt day, newest first. */
  readonly #kept = new Rows()

  constructor({ logs, base, days, newestDay }: MergeInput) {
    this.#logs = new RowLogs(logs.map(RowLog.finished))
    this.#base = new BaseSeries(base)
    this.#days = new DaySet(days)
    this.#changes = new ChangesReader(newestDay)
  }

  merge({ first, count }: CardRange): MergedSeries {
    this.#rowsAdded = 0
    this.#rowsDropped = 0
    const ends = new Uint32Array(count)
    const writer = new SeriesWriter(count * 64)
    for (let i = 0; i < count; i++) {
      this.#card(first + i, writer)
      ends[i] = writer.length
    }
    const series = new Uint8Array(writer.bytes)
    const changes = new Uint32Array(count * change.size)
    for (let i = 0; i < count; i++) {
      this.#changes.read(series, i === 0 ? 0 : ends[i - 1]!, ends[i]!, changes, i * change.size)
    }
    return {
      series,
      ends,
      changes,
      rowsAdded: this.#rowsAdded,
      rowsDropped: this.#rowsDropped,
    }
  }

  #card(card: number, writer: SeriesWriter): void {
    this.#logs.read(card, this.#rows)
    this.#kept.count = 0
    this.#rowsAdded += this.#rows.count
    const old = this.#base.of(card)
    if (old === undefined) {
      this.#write(writer)
      writer.end()
      return
    }
    this.#reader.open(old.bytes, old.start)
    const dropped = this.#rowsDropped
    const rest = this.#split()
    if (this.#rows.count === 0 && this.#rowsDropped === dropped) {
      writer.copy(old.bytes, old.start, old.end)
      return
    }
    this.#write(writer)
    if (rest) writer.endWith(this.#reader, old.bytes, old.end)
    else writer.end()
  }

  /** Decodes the base's rows down to the oldest rebuilt day. True if there are older rows, which are the reader's next. */
  #split(): boolean {
    const reader = this.#reader
    const kept = this.#kept
    const first = this.#days.first
    do {
      if (reader.day < first) return true
      const oldest = reader.day - reader.days + 1
      for (let day = reader.day; day >= oldest && day >= first; day--) {
        if (this.#days.has(day)) this.#rowsDropped++
        else kept.add(day, reader.market, reader.low, reader.high)
      }
      if (oldest < first) {
        reader.cutBefore(first)
        return true
      }
    } while (reader.next())
    return false
  }

  /** Writes the rows of the logs and the kept ones, newest first. No day is in both. */
  #write(writer: SeriesWriter): void {
    const rows = this.#rows
    const kept = this.#kept
    let k = 0
    for (let r = rows.count - 1; r >= 0; r--) {
      const day = rows.day[r]!
      for (; k < kept.count && kept.day[k]! > day; k++) this.#row(writer, kept, k)
      this.#row(writer, rows, r)
    }
    for (; k < kept.count; k++) this.#row(writer, kept, k)
  }

  #row(writer: SeriesWriter, rows: Rows, i: number): void {
    writer.run(rows.day[i]!, 1, rows.market[i]!, rows.low[i]!, rows.high[i]!)
  }
}

export const seriesJob: Job<MergeInput, HistoryMerge, CardRange, MergedSeries> = {
  module: import.meta.url,
  name: 'seriesJob',
  tasksPerThread: 2,
  prepare: (input) => new HistoryMerge(input),
  run: (merge, cards) => merge.merge(cards),
  transfers: ({ series, ends, changes }) => [series.buffer, ends.buffer, changes.buffer],
}
