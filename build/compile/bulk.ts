/** Compiles all cards of each game into one gzip. Each line of the gzip is a card's extended view. */
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import { type BulkOfGame, bulkFileName, writeBulkFile } from '../../src/indexes/bulk-file.ts'
import { type CardTexts, cardEnd, cardStart } from '../../src/indexes/cards-file.ts'
import { withPhrases } from '../../src/indexes/phrases.ts'
import type { NamedFile } from './base.ts'
import type { Card } from './compiled-cards.ts'

/** The end of the object of a card's details. The extras replace it. */
const objectEnd = '}'
const newline = Buffer.from('\n')
/** Header of a gzip member without name, time and operating system. */
const gzipHead: readonly number[] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 0xff]
const linesAtOnce = 500

/**
 * Compresses all games at the same time, in zlib's own threads.
 * @param cards by card index
 * @param games the number of games
 */
export async function compileBulk(cards: readonly Card[], games: number): Promise<NamedFile> {
  const byGame = Map.groupBy(cards, ({ game }) => game)
  const numbers = Array.from({ length: games }, (_, game) => game)
  return [bulkFileName, writeBulkFile(await Promise.all(numbers.map((game) => packed(byGame.get(game) ?? []))))]
}

/**
 * Equal lines give equal bytes on any system. Zlib's own header names the system, so `gzipHead` replaces that header.
 */
async function packed(cards: readonly Card[]): Promise<BulkOfGame> {
  let bytes = 0
  function* lines(): Generator<Buffer> {
    for (let first = 0; first < cards.length; first += linesAtOnce) {
      const some = Buffer.concat(cards.slice(first, first + linesAtOnce).flatMap(({ texts }) => lineOf(texts)))
      bytes += some.length
      yield some
    }
  }
  const { Z_BEST_COMPRESSION: level, Z_MAX_MEMLEVEL: memLevel } = constants
  const gzip = await pipeline(lines, createGzip({ level, memLevel }), buffer)
  gzip.set(gzipHead)
  return { gzip, cards: cards.length, bytes }
}

/** A card's line: the details without their envelope, and the extras. */
function lineOf({ details, extras }: CardTexts): readonly Uint8Array[] {
  return [
    details.subarray(cardStart.length, -(objectEnd + cardEnd).length),
    Buffer.from(withPhrases(Buffer.from(extras).toString())),
    newline,
  ]
}
