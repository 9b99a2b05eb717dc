/**
 * Renders price histories: reads a window of the card's series and writes JSON bytes, without objects in between.
 *
 *   {"data":{"cardId":"…","period":"30d","history":[ row , row ]}}
 *   row = {"date":"2026-11-20","market":  1.5,"low":null,"high":2}
 *         └ prepared once for each date ┘ └─ rendered once for each run of days with equal prices ┘
 */

import type { Csv } from '../catalog/card-fields.ts'
import { partCards, partCardsShift } from '../indexes/format.ts'
import type { HistoryFile } from '../indexes/history-file.ts'
import { SeriesReader } from '../indexes/series/codec.ts'
import { runNumbers, runs, writeCsvRows, writeRows } from './row-writer.ts'

const reader = new SeriesReader()

export class History {
  readonly #parts: readonly HistoryFile[]
  readonly #asOfDay: number

  /** @param asOfDay the newest day of the data, counted from 1970-01-01. Every window ends on this day */
  constructor(parts: readonly HistoryFile[], asOfDay: number) {
    this.#parts = parts
    this.#asOfDay = asOfDay
  }

  /**
   * The body, valid until the next call in this thread.
   * @param card the card's index
   * @param label the field that names the window, as JSON: `"period":"30d"`
   * @param days how many calendar days the window has; Infinity for all days
   */
  body(card: number, id: string, label: string, days: number): Uint8Array {
    const count = this.#readRuns(card, this.#asOfDay - days)
    return writeRows(['{"data":{"cardId":"', id, '",', label, ',"history":['], count, ']}}')
  }

  /** The card's history as CSV: `date,market,low,high`. */
  csv(card: number, days: number): Csv {
    return writeCsvRows(this.#readRuns(card, this.#asOfDay - days))
  }

  /**
   * Puts the card's runs of days with equal prices into `runs`. Only days after `before` are included. Returns the
   * number of runs.
   */
  #readRuns(card: number, before: number): number {
    const part = this.#parts[card >> partCardsShift]
    if (part === undefined) return 0
    const { at, series } = part
    const local = card & (partCards - 1)
    if (at[local] === at[local + 1]) return 0
    reader.open(series, at[local]!)
    let count = 0
    do {
      const { day } = reader
      if (day <= before) break
      const i = count++ * runNumbers
      runs[i] = day
      runs[i + 1] = Math.min(reader.days, day - before)
      runs[i + 2] = reader.market
      runs[i + 3] = reader.low
      runs[i + 4] = reader.high
    } while (reader.next())
    return count
  }
}
