/**
 * Puts the rows that were read in front of the base's:
 *
 *   newest ◀──────────────────────────────────────────────▶ oldest
 *   rows read:  ████████████████████████
 *   base:       ························│░░░░░░░░░░░░░░░░░░          · dropped
 *                                       └ the first rebuilt day: from here on bytes are copied
 *
 * Price changes are read from the new series while they are in the processor's cache.
 */

import { change } from '../../../src/indexes/changes-file.ts'
import { SeriesReader, SeriesWriter } from '../../../src/indexes/series/codec.ts'
import type { Job } from '../../workers/pool.ts'
import { readChanges } from './changes.ts'
import { type RowLogMemory, readRuns } from './log.ts'
import { type BaseMemory, BaseSeries, type SeriesBytes } from './plan.ts'

/** The input of all tasks. */
interface MergeInput {
  readonly logs: readonly RowLogMemory[]
  readonly base: BaseMemory
  /** The first rebuilt day: the base's rows from it on are dropped. All rows of the logs are of it or later. */
  readonly from: number
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
  /** The first day of each card's newest equal rows, `noDay` without rows. */
  readonly changedOn: Int32Array<ArrayBuffer>
  readonly rows: number
}

class HistoryMerge {
  readonly #logs: readonly RowLogMemory[]
  readonly #base: BaseSeries
  readonly #from: number
  readonly #newestDay: number
  readonly #reader = new SeriesReader()

  constructor({ logs, base, from, newestDay }: MergeInput) {
    this.#logs = logs
    this.#base = new BaseSeries(base)
    this.#from = from
    this.#newestDay = newestDay
  }

  merge({ first, count }: CardRange): MergedSeries {
    const ends = new Uint32Array(count)
    const writer = new SeriesWriter(count * 64)
    for (let i = 0; i < count; i++) {
      this.#card(first + i, writer)
      ends[i] = writer.length
    }
    const series = new Uint8Array(writer.bytes)
    const changes = new Uint32Array(count * change.size)
    const changedOn = new Int32Array(count)
    let rows = 0
    for (let i = 0; i < count; i++) {
      const place = { bytes: series, start: i === 0 ? 0 : ends[i - 1]!, end: ends[i]! }
      const read = readChanges(place, this.#newestDay, changes.subarray(i * change.size, (i + 1) * change.size))
      rows += read.rows
      changedOn[i] = read.changedOn
    }
    return { series, ends, changes, changedOn, rows }
  }

  #card(card: number, writer: SeriesWriter): void {
    readRuns(this.#logs, card, (day, days, market, low, high) => writer.run(day, days, market, low, high))
    const old = this.#base.of(card)
    if (old !== undefined && this.#dropRebuilt(old)) writer.endWith(this.#reader, old.bytes, old.end)
    else writer.end()
  }

  /** Goes past the rebuilt days. True if there are older rows, which are the reader's next. */
  #dropRebuilt({ bytes, start }: SeriesBytes): boolean {
    const reader = this.#reader
    const from = this.#from
    reader.open(bytes, start)
    do {
      if (reader.day < from) return true
      if (reader.day - reader.days + 1 < from) {
        reader.cutBefore(from)
        return true
      }
    } while (reader.next())
    return false
  }
}

export const seriesJob: Job<MergeInput, HistoryMerge, CardRange, MergedSeries> = {
  module: import.meta.url,
  name: 'seriesJob',
  tasksPerThread: 2,
  prepare: (input) => new HistoryMerge(input),
  run: (merge, cards) => merge.merge(cards),
  transfers: ({ series, ends, changes, changedOn }) => [series, ends, changes, changedOn].map(({ buffer }) => buffer),
}
