/**
 * `history-000.msgpack`, `history-001.msgpack`, …: the daily prices of each card. A part holds the 131,072 cards from
 * `partCards * part` on (the last one: fewer), in card-number order:
 *
 *   series   the cards' series one after the other (src/history/codec.ts)
 *   at       the series of the part's card i is series[at[i]] up to series[at[i + 1]], empty without a row
 *
 * What holds: each series ends where the next one starts; its days lie from 1990 to 2099, each once, newest first; its
 * prices are those that a snapshot may hold.
 */
import { dayOf } from '../history/calendar.ts'
import { SeriesReader, unknownPrice } from '../history/codec.ts'
import { priceCentsMax } from '../limits.ts'
import { type Checking, checkOffsets, inSlices, must } from './checking.ts'
import { bytesColumn, decodeIndexFile, encodeIndexFile, u32Column } from './format.ts'

export interface HistoryFile {
  readonly series: Uint8Array
  /** One more entry than there are cards. */
  readonly at: Uint32Array
}

const kind = 'history'

/** Throws RangeError past `indexFileBytesMax`. */
export const writeHistoryFile = ({ series, at }: HistoryFile): Uint8Array[] => encodeIndexFile(kind, {}, { at, series })

/** Throws IndexError. */
export function readHistoryFile(bytes: Uint8Array): HistoryFile {
  const file = decodeIndexFile(kind, bytes, ['at', 'series'])
  return { series: bytesColumn(file, 'series'), at: u32Column(file, 'at') }
}

/** What a check has found in all series so far. */
export interface HistoryTotals {
  rows: number
  newestDay: number
}

const firstDay = dayOf(1990, 1, 1)
const lastDay = dayOf(2099, 12, 31)

/**
 * @param count how many cards the part has
 * @param totals to be added to
 */
export function* checkHistoryFile({ series, at }: HistoryFile, count: number, totals: HistoryTotals): Checking {
  yield* checkOffsets('at', at, count, series.length)
  const reader = new SeriesReader()
  const check = (from: number, to: number) => {
    for (let card = from; card < to; card++) {
      if (at[card] !== at[card + 1]) checkSeries(reader, series, at[card]!, at[card + 1]!, totals)
    }
  }
  yield* inSlices(count, check, 500)
}

/** What lies behind the bytes reads as zeros, so a damaged series comes to an end, too. */
function checkSeries(
  reader: SeriesReader,
  series: Uint8Array,
  start: number,
  end: number,
  totals: HistoryTotals,
): void {
  reader.open(series, start)
  if (reader.day > lastDay) must(false, 'days end in 2099')
  if (reader.day > totals.newestDay) totals.newestDay = reader.day
  let before = reader.day + 1
  do {
    const { day, days } = reader
    const right =
      day < before &&
      day - days + 1 >= firstDay &&
      isPrice(reader.market) &&
      isPrice(reader.low) &&
      isPrice(reader.high) &&
      reader.at <= end
    if (!right) must(false, 'a series has days since 1990 and prices, newest first, within its bytes')
    before = day - days + 1
    totals.rows += days
  } while (reader.next())
  if (reader.at !== end) must(false, 'a series ends where the next one starts')
}

/** False for what is no number, too. */
const isPrice = (cents: number): boolean => cents >= unknownPrice && cents <= priceCentsMax
