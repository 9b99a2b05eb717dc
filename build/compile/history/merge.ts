/**
 * The series of all cards, from the rows that were read and the series of the base:
 *
 *   newest ◀──────────────────────────────────────────────▶ oldest
 *   rows read:          ███   ██
 *   base:          ░░░░░···░░░··░░░░░░░░│░░░░░░░░░░░░░░░░░░          · on days that are made anew: dropped
 *                  decoded, merged      │ bytes copied as they are
 *                                       └ the oldest day that is made anew
 *
 * When all that is new is newer than the base, nothing of the base is decoded but the first run of each series. How prices have
 * changed is read from what was written, while caches hold it.
 */

import { change } from '../../../src/indexes/changes-file.ts'
import { SeriesReader, SeriesWriter } from '../../../src/indexes/series/codec.ts'
import { ChangesReader } from './changes.ts'
import { type DayRange, DaySet } from './days.ts'
import { RowLog, type RowLogMemory, RowLogs, Rows } from './log.ts'
import { type BaseMemory, BaseSeries } from './plan.ts'

/** What all cards' series are made of, as it passes between threads. */
export interface MergeInput {
  readonly logs: readonly RowLogMemory[]
  readonly base: BaseMemory
  /** Of all rows in the logs, and those of the base whose rows go. */
  readonly days: readonly DayRange[]
  /** The newest day of what comes of it. */
  readonly newestDay: number
}

/** Some cards on end. */
export interface CardRange {
  readonly first: number
  readonly count: number
}

export interface MergedSeries {
  readonly series: Uint8Array<ArrayBuffer>
  /** Where each card's series ends. */
  readonly ends: Uint32Array<ArrayBuffer>
  /** How each card's price has changed, as the changes file has it. */
  readonly changes: Uint32Array<ArrayBuffer>
  /** How many rows came from the logs, and how many of the base were dropped for them. */
  readonly rowsAdded: number
  readonly rowsDropped: number
}

export class HistoryMerge {
  // Of the cards that are merged, as `MergedSeries` has them.
  #rowsAdded = 0
  #rowsDropped = 0
  readonly #logs: RowLogs
  readonly #base: BaseSeries
  readonly #days: DaySet
  readonly #reader = new SeriesReader()
  readonly #changes: ChangesReader
  readonly #rows = new Rows()
  /** The base's rows that stay and are newer than a day that is made anew, newest first. */
  readonly #kept = new Rows()

  constructor({ logs, base, days, newestDay }: MergeInput) {
    this.#logs = new RowLogs(logs.map(RowLog.done))
    this.#base = new BaseSeries(base)
    this.#days = new DaySet(days)
    this.#changes = new ChangesReader(newestDay)
  }

  /** The series of these cards, one after the other. */
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

  /** Decodes the base's rows down to the oldest day made anew. True if there are older ones: the reader is at them. */
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

  /** Writes the log's rows and the kept ones, newest first; no day is in both. */
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
