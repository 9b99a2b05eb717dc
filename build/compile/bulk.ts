/** All cards of a game as one packed piece: what is sent of each, a line each, with the number that links it elsewhere. */
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { Shaped } from '../../src/api/shapes.ts'
import { gameSlugs } from '../../src/games.ts'
import { bulkFileName, gzipHead, writeBulkFile } from '../../src/indexes/bulk-file.ts'
import { cardEnd, cardStart, textBytes, textNumber } from '../../src/indexes/cards-file.ts'
import type { Card } from '../read/cards-and-sets.ts'

/** Another field is put before it. */
const objectEnd = '}'
const lastField: keyof Shaped<'bulkCard'> = 'tcgplayerId'

/** So many games' lines are in memory at once, the largest games' first. */
const gamesAtOnce = 2

/**
 * The files by name, in game order. Zlib packs them in threads of its own, beside whatever the caller does next.
 * @param cards by card number
 */
export async function compileBulk(cards: readonly Card[]): Promise<Map<string, Uint8Array[]>> {
  const byGame = gameSlugs.map((_, game) => cards.filter(({ block, place }) => block.games[place] === game))
  const files: Uint8Array[][] = []
  const largestFirst = byGame.map((_, game) => game).sort((a, b) => byGame[b]!.length - byGame[a]!.length)
  const packNext = async (): Promise<void> => {
    const game = largestFirst.shift()
    if (game === undefined) return
    const ofGame = byGame[game]!
    const lines = linesOf(ofGame)
    files[game] = writeBulkFile({ gzip: await packed(lines), cards: ofGame.length, bytes: lines.length })
    await packNext()
  }
  await Promise.all(Array.from({ length: gamesAtOnce }, packNext))
  return new Map(gameSlugs.map((slug, game) => [bulkFileName(slug), files[game]!]))
}

/** The cards' answers without what is around them, and one field more. */
function linesOf(cards: readonly Card[]): Buffer {
  const ends = cards.map(({ block, place }) => `,"${lastField}":${block.products[place] || null}}\n`)
  const around = cardStart.length + (objectEnd + cardEnd).length
  const size = cards.reduce((sum, card, i) => sum + textBytes(card, 'details') - around + ends[i]!.length, 0)
  const lines = Buffer.allocUnsafeSlow(size)
  let at = 0
  cards.forEach((card, i) => {
    const { texts, textsAt } = card.block
    const start = textsAt[textNumber(card, 'details')]! + cardStart.length
    const bytes = textBytes(card, 'details') - around
    lines.set(texts.subarray(start, start + bytes), at)
    at += bytes + lines.write(ends[i]!, at + bytes, 'latin1')
  })
  return lines
}

const pack = promisify(gzip)

/** The same lines give the same bytes on every system: the head that zlib writes names the one it was built for. */
async function packed(lines: Buffer): Promise<Buffer> {
  // Room for all at once, usually twice of it: one piece of work for a thread of zlib's, which waits for nobody.
  const chunkSize = Math.ceil(lines.length / 4) + 1024
  const gzip = await pack(lines, { level: constants.Z_BEST_COMPRESSION, memLevel: constants.Z_MAX_MEMLEVEL, chunkSize })
  gzip.set(gzipHead)
  return gzip
}
