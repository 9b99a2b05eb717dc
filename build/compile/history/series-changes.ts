/** Reads from a card's series how its price has changed. */

import { noDay } from '../../../src/calendar.ts'
import { change, fromDays, periods, rangeDays, toDays } from '../../../src/indexes/changes-file.ts'
import { noPrice } from '../../../src/indexes/lists-file.ts'
import { SeriesReader } from '../../../src/indexes/series/codec.ts'

/** A series, newest day first (src/indexes/series/codec.ts). It is empty if `start` is `end`. */
export interface SeriesBytes {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

/**
 * The windows of a card's prices, in the order of the numbers in the changes file. Both bounds are days before the
 * newest day, and both are inclusive.
 */
const windows = [
  { newest: 0, oldest: toDays - 1 },
  ...periods.map(({ days }) => ({ newest: days, oldest: days + fromDays - 1 })),
]
const oldestOfAll = Math.max(rangeDays - 1, ...windows.map(({ oldest }) => oldest))

const reader = new SeriesReader()

/**
 * Writes a card's numbers into `changes`. Returns the number of rows in the series. `changedOn` is the day since which
 * the card's prices are unchanged; it is `noDay` without rows.
 * @param asOf the newest day of all series
 */
export function readChanges(
  { bytes, start, end }: SeriesBytes,
  asOf: number,
  changes: Uint32Array,
): { rows: number; changedOn: number } {
  changes.fill(noPrice)
  if (start === end) return { rows: 0, changedOn: noDay }
  let rows = 0
  let changedOn = noDay
  let isNewest = true
  let window = 0
  let high = -1
  let low = noPrice
  let highAge = 0
  let lowAge = 0
  reader.open(bytes, start)
  const { market: newestMarket, low: newestLow, high: newestHigh } = reader
  do {
    const { days, market } = reader
    isNewest &&= market === newestMarket && reader.low === newestLow && reader.high === newestHigh
    if (isNewest) changedOn = reader.day - days + 1
    // Days from the run's newest day to the newest day of all.
    const age = asOf - reader.day
    rows += days
    if (age > oldestOfAll || market < 0) continue
    if (age < rangeDays) {
      if (market > high) {
        high = market
        highAge = age
      }
      if (market < low) {
        low = market
        lowAge = age
      }
    }
    for (; window < windows.length && age + days > windows[window]!.newest; window++) {
      if (age <= windows[window]!.oldest) changes[window] = market
    }
  } while (reader.next())
  if (high < 0) return { rows, changedOn }
  changes[change.high] = high
  changes[change.low] = low
  changes[change.days] = (highAge << 16) | lowAge
  return { rows, changedOn }
}
