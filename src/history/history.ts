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
import { Histories } from './histories.ts'
import { dayMax, dayMin, daysMax, rowsBytes, runNumbers, runs, writeCsvRows, writeRows } from './row-writer.ts'

const reader = new SeriesReader()
/** Three numbers for each run of days with one market price. */
const marketRuns = new Int32Array(3 * daysMax)

export class History {
  readonly #parts: readonly HistoryFile[]
  /** The newest day of the data, counted from 1970-01-01. Every window ends on this day. */
  readonly asOfDay: number

  constructor(parts: readonly HistoryFile[], asOfDay: number) {
    this.#parts = parts
    this.asOfDay = asOfDay
  }

  /**
   * The body, valid until the next call in this thread.
   * @param card the card's index
   * @param label the field that names the window, as JSON: `"period":"30d"`
   * @param days how many calendar days the window has; Infinity for all days
   */
  body(card: number, id: string, label: string, days: number): Uint8Array {
    const count = this.#readRuns(card, days)
    return writeRows(['{"data":{"cardId":"', id, '",', label, ',"history":['], count, ']}}')
  }

  /**
   * The body of several cards' histories, in the order of the cards.
   * @param ids the ids of the cards
   * @param label as for `body`
   */
  bodies(cards: readonly number[], ids: readonly string[], label: string, days: number): Histories {
    const start = (i: number) => `${i === 0 ? '{"data":[' : ','}{"cardId":"${ids[i]}",${label},"history":[`
    const after = ']}'
    const end = cards.length === 0 ? '{"data":[]}' : ']}'
    const sizes = cards.map((card, i) => start(i).length + rowsBytes(this.#readRuns(card, days)) + after.length)
    return new Histories([...sizes, end.length], (i) =>
      i === cards.length ? writeRows([], 0, end) : writeRows([start(i)], this.#readRuns(cards[i]!, days), after),
    )
  }

  /**
   * The card's known market prices, oldest first. Each run of days with equal prices has three numbers: its first day,
   * its last day and the cents. They are valid until the next call in this thread.
   */
  marketRuns(card: number, days: number): Int32Array {
    let length = 0
    for (let run = (this.#readRuns(card, days) - 1) * runNumbers; run >= 0; run -= runNumbers) {
      const cents = runs[run + 2]!
      if (cents < 0) continue
      marketRuns[length++] = runs[run]! - runs[run + 1]! + 1
      marketRuns[length++] = runs[run]!
      marketRuns[length++] = cents
    }
    return marketRuns.subarray(0, length)
  }

  /** The card's history as CSV: `date,market,low,high`. */
  csv(card: number, days: number): Csv {
    return writeCsvRows(this.#readRuns(card, days))
  }

  /**
   * Writes the runs of the card that are in the window into `runs`. A run is days with equal prices. Returns the number
   * of runs. Each run is earlier than the one before, so the runs have at most `daysMax` days. Throws if the newest day
   * is after `dayMax`.
   */
  #readRuns(card: number, days: number): number {
    const part = this.#parts[card >> partCardsShift]
    if (part === undefined) return 0
    const { at, series } = part
    const local = card & (partCards - 1)
    if (at[local] === at[local + 1]) return 0
    const before = Math.max(this.asOfDay - days, dayMin - 1)
    reader.open(series, at[local]!)
    if (reader.day > dayMax) throw new RangeError(`a series begins with day ${reader.day}`)
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
