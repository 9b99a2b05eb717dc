/** The series of a history file: each ends where the next one starts, and its days and prices are possible. */
import { dayOfDate, noDay } from '../../../src/calendar.ts'
import type { HistoryFile } from '../../../src/indexes/history-file.ts'
import { SeriesReader, unknownPrice } from '../../../src/indexes/series/codec.ts'
import { historyDateMax, historyDateMin, priceCentsMax } from '../../../src/limits.ts'
import { checkOffsets, each, must } from './columns.ts'

const firstDay = dayOfDate(historyDateMin)
const lastDay = dayOfDate(historyDateMax)

const isPrice = (cents: number): boolean => cents >= unknownPrice && cents <= priceCentsMax

const pricesOf = ({ market, low, high }: SeriesReader): string => [market, low, high].join()

/** @returns sums over all series; the newest day is -Infinity without any, the first day of the newest equal rows `noDay` */
export function checkHistoryFile(
  { series, at }: HistoryFile,
  count: number,
): { rows: number; newestDay: number; changedOn: Int32Array } {
  const sums = { rows: 0, newestDay: Number.NEGATIVE_INFINITY, changedOn: new Int32Array(count).fill(noDay) }
  must(at.length === count + 1, 'each card has a series')
  checkOffsets({ series, at }, { at: 'series' })
  const reader = new SeriesReader()
  each(count, 'a series has days, newest first, and its end', (card) => {
    const [start, end] = [at[card]!, at[card + 1]!]
    if (start === end) return true
    reader.open(series, start)
    sums.newestDay = Math.max(sums.newestDay, reader.day)
    let before = lastDay + 1
    let isNewest = true
    const newest = pricesOf(reader)
    do {
      const isRow = reader.day < before && isPrice(reader.market) && isPrice(reader.low) && isPrice(reader.high)
      before = reader.day - reader.days + 1
      if (!isRow || reader.days < 1 || before < firstDay || reader.at > end) return false
      sums.rows += reader.days
      isNewest &&= pricesOf(reader) === newest
      if (isNewest) sums.changedOn[card] = before
    } while (reader.next())
    return reader.at === end
  })
  return sums
}
