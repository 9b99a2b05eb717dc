/**
 * `bulk-pokemon.msgpack`, …, one a game: all its cards, compressed as `/v1/bulk` sends them.
 *
 *   gzip          a JSON object a line, in card-number order: {"id":"…", …, "tcgplayerId":42382} ⏎
 *   meta.cards    the number of lines
 *   meta.bytes    their length, uncompressed
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
