/**
 * `history-000.msgpack`, `history-001.msgpack`, …: the daily prices of each card. A part holds the 131,072 cards from
 * `partCards * part` on (the last one: fewer), in card-number order:
 *
 *   series   the cards' series one after the other (series/codec.ts)
 *   at       the series of the part's card i is series[at[i]] up to series[at[i + 1]], empty without a row; one more entry than cards
 *
 * Invariants: each series ends where the next one starts; its days are from 1990 to 2099, each once, newest first. Any price
 * is plausible.
 */
import { bytesColumn, indexFile, noMeta, offsetsOf } from './format.ts'

export const { write: writeHistoryFile, read: readHistoryFile } = indexFile(
  'history',
  { at: offsetsOf('series'), series: bytesColumn },
  noMeta,
)

export type HistoryFile = ReturnType<typeof readHistoryFile>
