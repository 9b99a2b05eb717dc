/**
 * `history-000.msgpack`, `history-001.msgpack`, …: the daily prices of each card. A part holds the 131,072 cards from
 * `partCards * part` on (the last one: fewer), in card-number order:
 *
 *   series   the cards' series one after the other (series/codec.ts)
 *   at       the series of the part's card i is series[at[i]] up to series[at[i + 1]], empty without a row
 *
 * Invariants: each series ends where the next one starts; its days are from 1990 to 2099, each once, newest first. Any price
 * is plausible.
 */

import { bytesColumn, decodeIndexFile, encodeIndexFile, noMeta, u32Column } from './format.ts'

export interface HistoryFile {
  readonly series: Uint8Array
  /** One more entry than there are cards. */
  readonly at: Uint32Array
}

const kind = 'history'

/** Throws RangeError above `indexFileBytesMax`. */
export const writeHistoryFile = ({ at, series }: HistoryFile): Uint8Array[] => encodeIndexFile(kind, {}, { at, series })

/** Throws IndexError. */
export const readHistoryFile = (bytes: Uint8Array): HistoryFile =>
  decodeIndexFile(kind, bytes, { at: u32Column, series: bytesColumn }, noMeta)
