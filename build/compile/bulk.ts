/** All cards of a game as one packed piece: what is sent of each, a line each, with the number that links it elsewhere. */
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { Shaped } from '../../src/api/shapes.ts'
import { gameSlugs } from '../../src/games.ts'
import { bulkFileName, gzipHead, writeBulkFile } from '../../src/indexes/bulk-file.ts'
import { type CardsPart, cardEnd, cardStart, record } from '../../src/indexes/cards-file.ts'
import { partCards } from '../../src/limits.ts'
import type { CardRecord } from '../read/records.ts'

const wordBytes = Uint32Array.BYTES_PER_ELEMENT
/** Another field is put before it. */
const objectEnd = '}'
const lastField: keyof Shaped<'bulkCard'> = 'tcgplayerId'

/**
 * The files by name. Zlib packs all games at once, in threads of its own, beside whatever the caller does next.
 * @param cards by card number
 * @param parts as they were compiled
 */
export async function compileBulk(
  cards: readonly CardRecord[],
  parts: readonly CardsPart[],
): Promise<Map<string, Uint8Array[]>> {
  const files = await Promise.all(
    gameSlugs.map(async (slug, game): Promise<[string, Uint8Array[]]> => {
      const numbers = cards.flatMap((card, number) => (card.game === game ? [number] : []))
      const lines = linesOf(numbers, cards, parts)
      return [
        bulkFileName(slug),
        writeBulkFile({ gzip: await packed(lines), cards: numbers.length, bytes: lines.length }),
      ]
    }),
  )
  return new Map(files)
}

/** The cards' answers without what is around them, and one field more. */
function linesOf(numbers: readonly number[], cards: readonly CardRecord[], parts: readonly CardsPart[]): Buffer {
  const pieces: Uint8Array[] = []
  for (const number of numbers) {
    const { bytes, at } = parts[Math.floor(number / partCards)]!.details
    const start = at[number % partCards]!
    const size = new DataView(bytes.buffer, bytes.byteOffset + start + record.bytes * wordBytes).getUint32(0, true)
    const text = start + record.text
    pieces.push(bytes.subarray(text + cardStart.length, text + size - (objectEnd + cardEnd).length))
    pieces.push(Buffer.from(`,"${lastField}":${cards[number]!.tcgplayerId}}\n`))
  }
  return Buffer.concat(pieces)
}

const pack = promisify(gzip)

/** The same lines give the same bytes on every system: the head that zlib writes names the one it was built for. */
async function packed(lines: Buffer): Promise<Buffer> {
  // Room for all at once: one piece of work for a thread of zlib's, which waits for nobody.
  const chunkSize = lines.length + 1024
  const gzip = await pack(lines, { level: constants.Z_BEST_COMPRESSION, memLevel: constants.Z_MAX_MEMLEVEL, chunkSize })
  gzip.set(gzipHead)
  return gzip
}
