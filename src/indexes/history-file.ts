/**
 * `history-000.msgpack`, `history-001.msgpack`, …: the daily prices of each card. A part has 131,072 cards, by card
 * index from `partCards * part` on; the last part has fewer:
 *
 *   series   the cards' series one after the other (series/codec.ts)
 *   at       the series of the part's card i is series[at[i]] up to series[at[i + 1]]. A card without rows has an empty
 *            series. `at` has one more entry than there are cards
 *
 * Invariants: each series ends where the next series starts. The days of a series are from 1990 to 2099, each once,
 * newest first. Prices have no invariant.
 */
import { bytesColumn, indexFile, noMeta, u32Column } from './format.ts'

export const { write: writeHistoryFile, read: readHistoryFile } = indexFile(
  'history',
  { at: u32Column, series: bytesColumn },
  noMeta,
)

export type HistoryFile = ReturnType<typeof readHistoryFile>
