/**
 * The series of all cards, from the rows that were read and the series of the base:
 *
 *   newest ◀──────────────────────────────────────────────▶ oldest
 *   rows read:          ███   ██
 *   base:          ░░░░░···░░░··░░░░░░░░│░░░░░░░░░░░░░░░░░░          · on days that are made anew: dropped
 *                  decoded, merged      │ bytes copied as they are
 *                                       └ the oldest day that is made anew
 *
 * When all that is new is newer than the base, nothing of the base is decoded but the first run of each series.
 */
import { SeriesReader, SeriesWriter } from '../../../src/history/codec.ts'
import { type DayRange, DaySet } from './days.ts'
import { RowLog, type RowLogMemory, RowLogs, Rows } from './log.ts'
import { type BaseMemory, BaseSeries } from './plan.ts'

/** What all cards' series are made of, as it passes between threads. */
export interface MergeInput {
  readonly logs: readonly RowLogMemory[]
  readonly base: BaseMemory
  /** Of all rows in the logs, and those of the base whose rows go. */
  readonly days: readonly DayRange[]
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
  /** Of all rows, -Infinity without any. */
  readonly newestDay: number
  /** How many rows came from the logs, and how many of the base were dropped for them. */
  readonly rowsAdded: number
  readonly rowsDropped: number
}

export class HistoryMerge {
  // Of the cards that are merged, as `MergedSeries` has them.
  #newestDay = Number.NEGATIVE_INFINITY
  #rowsAdded = 0
  #rowsDropped = 0
  readonly #logs: RowLogs
  readonly #base: BaseSeries
  readonly #days: DaySet
  readonly #reader = new SeriesReader()
  readonly #rows = new Rows()
  /** The base's rows that stay and are newer than a day that is made anew, newest first. */
  readonly #kept = new Rows()

  constructor({ logs, base, days }: MergeInput) {
    this.#logs = new RowLogs(logs.map(RowLog.done))
    this.#base = new BaseSeries(base)
    this.#days = new DaySet(days)
  }

  /** The series of these cards, one after the other. */
  merge({ first, count }: CardRange): MergedSeries {
    this.#newestDay = Number.NEGATIVE_INFINITY
    this.#rowsAdded = 0
    this.#rowsDropped = 0
    const ends = new Uint32Array(count)
    const writer = new SeriesWriter(count * 64)
    for (let i = 0; i < count; i++) {
      this.#card(first + i, writer)
      ends[i] = writer.length
    }
    return {
      series: new Uint8Array(writer.bytes),
      ends,
      newestDay: this.#newestDay,
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
    const newest = this.#reader.day
    const dropped = this.#rowsDropped
    const rest = this.#split()
    if (this.#rows.count === 0 && this.#rowsDropped === dropped) {
      writer.copy(old.bytes, old.start, old.end)
      this.#newestDay = Math.max(this.#newestDay, newest)
      return
    }
    this.#write(writer)
    if (rest) {
      this.#newestDay = Math.max(this.#newestDay, this.#reader.day)
      writer.endWith(this.#reader, old.bytes, old.end)
    } else writer.end()
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
    const day = rows.day[i]!
    if (day > this.#newestDay) this.#newestDay = day
    writer.run(day, 1, rows.market[i]!, rows.low[i]!, rows.high[i]!)
  }
}
