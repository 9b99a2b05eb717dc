/** All cards of a game as one gzip: the extended view of each, a line each. */
import { once } from 'node:events'
import { constants, createGzip } from 'node:zlib'
import { gameSlugs } from '../../src/games.ts'
import { bulkFileName, writeBulkFile } from '../../src/indexes/bulk-file.ts'
import { cardEnd, cardStart, type TextsOfCards, textBytes, textOrder } from '../../src/indexes/cards-file.ts'
import { bytesWithPhrases, writePhrases } from '../../src/indexes/phrases.ts'
import { allEnded } from '../all-ended.ts'
import type { FileSource } from './base.ts'
import type { Card } from './card-block.ts'
import type { TextsFile } from './texts-file.ts'

/** The extras replace it. */
const objectEnd = '}'
const lineEnd = 0x0a
/** Header of a gzip member without name, time and operating system. */
export const gzipHead: readonly number[] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 0xff]

const gamesAtOnce = 2

/**
 * The files by name, in game order. Zlib packs them in threads of its own, the largest games first.
 * @param cards in the order of files and lines
 * @param order by card number, the position in `cards`
 */
export async function compileBulk(
  cards: readonly Card[],
  order: Uint32Array,
  texts: TextsFile,
): Promise<[name: string, file: FileSource][]> {
  const gameOf = ({ block, row }: Card) => block.games[row]!
  const byGame = gameSlugs.map((_, game) => order.filter((position) => gameOf(cards[position]!) === game))
  const files: Uint8Array[][] = []
  const largestFirst = byGame.map((_, game) => game).sort((a, b) => byGame[b]!.length - byGame[a]!.length)
  const packNext = async (buffer: Buffer): Promise<void> => {
    const game = largestFirst.shift()
    if (game === undefined) return
    const ofGame = byGame[game]!
    files[game] = writeBulkFile({ ...(await packed(texts.read(cards, ofGame), buffer)), cards: ofGame.length })
    await packNext(buffer)
  }
  const bufferBytes = Math.min(linesBytesUsual, texts.bytes)
  const buffers = Array.from({ length: gamesAtOnce }, () => Buffer.allocUnsafeSlow(bufferBytes))
  await allEnded(buffers.map(packNext))
  return gameSlugs.map((slug, game) => [bulkFileName(slug), { pieces: files[game]! }])
}

/**
 * The cards' details without their envelope, and their extras.
 * @param buffer holds them if they fit
 */
function linesOf({ cards, bytes, starts }: TextsOfCards<Card>, buffer: Buffer): Buffer {
  const envelopeBytes = cardStart.length + (objectEnd + cardEnd).length
  const extrasAt = (card: Card, i: number) =>
    textOrder.reduce((at, name) => (name === 'extras' ? at : at + textBytes(card, name)), starts[i]!)
  const size = cards.reduce((sum, card, i) => {
    const start = extrasAt(card, i)
    const extrasBytes = bytesWithPhrases(bytes, start, start + textBytes(card, 'extras'))
    return sum + textBytes(card, 'details') - envelopeBytes + extrasBytes + 1
  }, 0)
  const lines = size <= buffer.length ? buffer.subarray(0, size) : Buffer.allocUnsafeSlow(size)
  let at = 0
  cards.forEach((card, i) => {
    const start = starts[i]! + cardStart.length
    const length = textBytes(card, 'details') - envelopeBytes
    lines.set(bytes.subarray(start, start + length), at)
    const extras = extrasAt(card, i)
    at = writePhrases(bytes, extras, extras + textBytes(card, 'extras'), lines, at + length)
    lines[at++] = lineEnd
  })
  return lines
}

/** Of a chunk of texts. */
const linesBytesUsual = 4 * 1024 * 1024
/** The most that zlib returns at a time. */
const packedBytesUsual = 1024 * 1024

/**
 * The same lines give the same bytes, with any chunks and on any system: zlib's own header names the system, and is
 * replaced.
 */
async function packed(texts: Iterable<TextsOfCards<Card>>, buffer: Buffer): Promise<{ gzip: Buffer; bytes: number }> {
  const { Z_BEST_COMPRESSION: level, Z_MAX_MEMLEVEL: memLevel, Z_MIN_CHUNK } = constants
  const chunkSize = Math.max(Z_MIN_CHUNK, Math.min(packedBytesUsual, buffer.length))
  const packer = createGzip({ level, memLevel, chunkSize })
  const packed: Buffer[] = []
  packer.on('data', (chunk: Buffer) => packed.push(chunk))
  let bytes = 0
  for (const chunk of texts) {
    const lines = linesOf(chunk, buffer)
    bytes += lines.length
    await new Promise<void>((resolve, reject) => {
      packer.write(lines, (error) => (error ? reject(error) : resolve()))
    })
  }
  packer.end()
  await once(packer, 'end')
  const gzip = Buffer.concat(packed)
  gzip.set(gzipHead)
  return { gzip, bytes }
}
