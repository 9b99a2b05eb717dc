/**
 * `history-000.msgpack`, `history-001.msgpack`, …: the daily prices of each card. A part holds the 131,072 cards from
 * `partCards * part` on (the last one: fewer), in card-number order:
 *
 *   series   the cards' series one after the other (src/history/codec.ts)
 *   at       the series of the part's card i is series[at[i]] up to series[at[i + 1]], empty without a row
 */
import { bytesColumn, decodeIndexFile, encodeIndexFile, IndexError, u32Column } from './format.ts'

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
  const file = decodeIndexFile(kind, bytes)
  const series = bytesColumn(file, 'series')
  const at = u32Column(file, 'at')
  if (at.length === 0 || at[at.length - 1] !== series.length) {
    throw new IndexError('a history file has series that do not fit their places')
  }
  return { series, at }
}
