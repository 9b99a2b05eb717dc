/**
 * `bulk-pokemon.msgpack`, …, one a game: all its cards, compressed as `/v1/bulk` sends them.
 *
 *   gzip          a JSON object a line, in card-number order: {"id":"…", …, "tcgplayerId":42382} ⏎
 *   meta.cards    the number of lines
 *   meta.bytes    their length, uncompressed
 */
import * as v from 'valibot'
import { bytesColumn, decodeIndexFile, encodeIndexFile } from './format.ts'

export interface BulkFile {
  readonly gzip: Uint8Array
  readonly cards: number
  /** Uncompressed. */
  readonly bytes: number
}

const kind = 'bulk'

export const bulkFileName = (game: string): string => `bulk-${game}.msgpack`

/** Throws RangeError past `indexFileBytesMax`. */
export const writeBulkFile = ({ gzip, cards, bytes }: BulkFile): Uint8Array[] =>
  encodeIndexFile(kind, { cards, bytes }, { gzip })

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const metaSchema = v.object({ cards: count, bytes: count })

/** Throws IndexError. */
export const readBulkFile = (file: Uint8Array): BulkFile =>
  decodeIndexFile(kind, file, { gzip: bytesColumn }, metaSchema)
