/** All cards of a game as one packed piece: what is sent of each, a line each, with the number that links it elsewhere. */
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { Shaped } from '../../src/api/shapes.ts'
import { gameSlugs } from '../../src/games.ts'
import { bulkFileName, gzipHead, writeBulkFile } from '../../src/indexes/bulk-file.ts'
import { cardEnd, cardStart, type RenderedCard, textNumber } from '../../src/indexes/cards-file.ts'

interface BulkCard extends RenderedCard {
  readonly game: number
  readonly tcgplayerId: number | null
}

/** Another field is put before it. */
const objectEnd = '}'
const lastField: keyof Shaped<'bulkCard'> = 'tcgplayerId'

/**
 * The files by name. Zlib packs all games at once, in threads of its own, beside whatever the caller does next.
 * @param cards by card number
 */
export async function compileBulk(cards: readonly BulkCard[]): Promise<Map<string, Uint8Array[]>> {
  const files = await Promise.all(
    gameSlugs.map(async (slug, game): Promise<[string, Uint8Array[]]> => {
      const ofGame = cards.filter((card) => card.game === game)
      const lines = linesOf(ofGame)
      return [
        bulkFileName(slug),
        writeBulkFile({ gzip: await packed(lines), cards: ofGame.length, bytes: lines.length }),
      ]
    }),
  )
  return new Map(files)
}

/** The cards' answers without what is around them, and one field more. */
function linesOf(cards: readonly BulkCard[]): Buffer {
  const pieces: Uint8Array[] = []
  for (const card of cards) {
    const { texts, textsAt } = card.block
    const details = textNumber(card, 'details')
    const start = textsAt[details]! + cardStart.length
    pieces.push(texts.subarray(start, textsAt[details + 1]! - (objectEnd + cardEnd).length))
    pieces.push(Buffer.from(`,"${lastField}":${card.tcgplayerId}}\n`))
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
