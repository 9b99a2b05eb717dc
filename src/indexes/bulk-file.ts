/**
 * `bulk-pokemon.msgpack`, …, one file for each game: all cards of the game, compressed as `/v1/bulk` sends them.
 *
 *   gzip          one line for each card, by card index: {"id":"…", …, "tcgplayerId":42382} ⏎
 *   meta.cards    the number of lines
 *   meta.bytes    the length of all lines, uncompressed
 */
import * as v from 'valibot'
import { bytesColumn, indexFile } from './format.ts'

export const bulkFileName = (game: string): string => `bulk-${game}.msgpack`

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

export const { write: writeBulkFile, read: readBulkFile } = indexFile(
  'bulk',
  { gzip: bytesColumn },
  v.object({ cards: count, bytes: count }),
)

export type BulkFile = ReturnType<typeof readBulkFile>
