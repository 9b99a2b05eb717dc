/**
 * `bulk-pokemon.msgpack`, …, one a game: all its cards, compressed as `/v1/bulk` sends them.
 *
 *   gzip          a JSON object a line, in card-number order: {"id":"…", …, "tcgplayerId":42382} ⏎
 *   meta.cards    the number of lines
 *   meta.bytes    their length, uncompressed
 *
 * Invariants: `gzip` is one member with the header that every build writes, and ends with the length. The check does not
 * decompress it, because the server never does.
 */
import * as v from 'valibot'
import type { Checking } from './checks/checking.ts'
import { must } from './checks/checking.ts'
import { bytesColumn, decodeIndexFile, encodeIndexFile } from './format.ts'

export interface BulkFile {
  readonly gzip: Uint8Array
  readonly cards: number
  /** Uncompressed. */
  readonly bytes: number
}

const kind = 'bulk'

export const bulkFileName = (game: string): string => `bulk-${game}.msgpack`

/** Header of a gzip member without name, time and operating system. */
export const gzipHead: readonly number[] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 0xff]
const gzipEndBytes = 8

/** Throws RangeError past `indexFileBytesMax`. */
export const writeBulkFile = ({ gzip, cards, bytes }: BulkFile): Uint8Array[] =>
  encodeIndexFile(kind, { cards, bytes }, { gzip })

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const metaSchema = v.object({ cards: count, bytes: count })

/** Throws IndexError. */
export const readBulkFile = (file: Uint8Array): BulkFile =>
  decodeIndexFile(kind, file, { gzip: bytesColumn }, metaSchema)

/** @param cardCount how many cards the game has */
export function* checkBulkFile({ gzip, cards, bytes }: BulkFile, cardCount: number): Checking {
  must(cards === cardCount, 'it has all cards of its game')
  must(
    gzip.length > gzipHead.length + gzipEndBytes && gzipHead.every((byte, at) => gzip[at] === byte),
    'it is packed as the build packs',
  )
  const end = new DataView(gzip.buffer, gzip.byteOffset + gzip.length - gzipEndBytes, gzipEndBytes)
  must(end.getUint32(4, true) === bytes % 2 ** 32, 'the packed piece ends with its length')
  yield
}
