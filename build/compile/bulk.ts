/** All cards of a game as one packed piece: the extended view of each, a line each. */
import { once } from 'node:events'
import { constants, createGzip } from 'node:zlib'
import { gameSlugs } from '../../src/games.ts'
import { bulkFileName, gzipHead, writeBulkFile } from '../../src/indexes/bulk-file.ts'
import { cardEnd, cardStart, type TextsOfCards, textBytes, textOrder } from '../../src/indexes/cards-file.ts'
import type { FileSource } from '../publish/staging.ts'
import type { Card } from '../read/cards-and-sets.ts'
import type { TextsFile } from './texts-file.ts'

/** The extras begin in its place. */
const objectEnd = '}'
const lineEnd = 0x0a

/** So many games are packed at once, the largest games first. */
const gamesAtOnce = 2

/**
 * The files by name, in game order. Zlib packs them in threads of its own, beside whatever the caller does next.
 * @param cards in the order of files and lines
 * @param order their places in it, by card number
 */
export async function compileBulk(
  cards: readonly Card[],
  order: Uint32Array,
  texts: TextsFile,
): Promise<[name: string, file: FileSource][]> {
  const gameOf = ({ block, place }: Card) => block.games[place]!
  const byGame = gameSlugs.map((_, game) => order.filter((place) => gameOf(cards[place]!) === game))
  const files: Uint8Array[][] = []
  const largestFirst = byGame.map((_, game) => game).sort((a, b) => byGame[b]!.length - byGame[a]!.length)
  const packNext = async (room: Buffer): Promise<void> => {
    const game = largestFirst.shift()
    if (game === undefined) return
    const ofGame = byGame[game]!
    files[game] = writeBulkFile({ ...(await packed(texts.read(cards, ofGame), room)), cards: ofGame.length })
    await packNext(room)
  }
  const roomBytes = Math.min(linesBytesUsual, texts.bytes)
  const rooms = Array.from({ length: gamesAtOnce }, () => Buffer.allocUnsafeSlow(roomBytes))
  await Promise.all(rooms.map(packNext))
  return gameSlugs.map((slug, game) => [bulkFileName(slug), { pieces: files[game]! }])
}

/**
 * The cards' answers without what is around them, and their extras.
 * @param room where they are put if they fit
 */
function linesOf({ cards, bytes, starts }: TextsOfCards<Card>, room: Buffer): Buffer {
  const around = cardStart.length + (objectEnd + cardEnd).length
  const lineBytes = (card: Card) => textBytes(card, 'details') - around + textBytes(card, 'extras') + 1
  const size = cards.reduce((sum, card) => sum + lineBytes(card), 0)
  const lines = size <= room.length ? room.subarray(0, size) : Buffer.allocUnsafeSlow(size)
  let at = 0
  cards.forEach((card, i) => {
    const start = starts[i]! + cardStart.length
    const length = textBytes(card, 'details') - around
    lines.set(bytes.subarray(start, start + length), at)
    let extrasAt = starts[i]!
    for (const name of textOrder) if (name !== 'extras') extrasAt += textBytes(card, name)
    lines.set(bytes.subarray(extrasAt, extrasAt + textBytes(card, 'extras')), at + length)
    at += lineBytes(card)
    lines[at - 1] = lineEnd
  })
  return lines
}

/** As much as a chunk of texts comes to. */
const linesBytesUsual = 4 * 1024 * 1024
/** So much comes from zlib at a time, at most. */
const packedBytesUsual = 1024 * 1024

/**
 * The same lines give the same bytes, in whatever chunks they come, and on every system: the head that zlib writes names the
 * one it was built for.
 */
async function packed(texts: Iterable<TextsOfCards<Card>>, room: Buffer): Promise<{ gzip: Buffer; bytes: number }> {
  const { Z_BEST_COMPRESSION: level, Z_MAX_MEMLEVEL: memLevel, Z_MIN_CHUNK } = constants
  const chunkSize = Math.max(Z_MIN_CHUNK, Math.min(packedBytesUsual, room.length))
  const packer = createGzip({ level, memLevel, chunkSize })
  const pieces: Buffer[] = []
  packer.on('data', (piece: Buffer) => pieces.push(piece))
  let bytes = 0
  for (const chunk of texts) {
    const lines = linesOf(chunk, room)
    bytes += lines.length
    await new Promise<void>((resolve, reject) => {
      packer.write(lines, (error) => (error ? reject(error) : resolve()))
    })
  }
  packer.end()
  await once(packer, 'end')
  const gzip = Buffer.concat(pieces)
  gzip.set(gzipHead)
  return { gzip, bytes }
}
