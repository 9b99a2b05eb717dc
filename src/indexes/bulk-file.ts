/**
 * `bulk.msgpack`: all cards of each game, compressed as `/v1/bulk` sends them.
 *
 *   gzip          for each game, one line for each card, by card index: {"id":"…", …, "tcgplayerId":42382} ⏎
 *   gzipAt        where each game's gzip starts, and where the last ends
 *   meta.lines    by game: the number of lines, and their length, uncompressed
 */
import * as v from 'valibot'
import { bytesColumn, indexFile, offsets, u32Column } from './format.ts'

export const bulkFileName = 'bulk.msgpack'

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

const { write, read } = indexFile(
  'bulk',
  { gzip: bytesColumn, gzipAt: u32Column },
  v.object({ lines: v.array(v.object({ cards: count, bytes: count })) }),
)

export interface BulkOfGame {
  readonly gzip: Uint8Array
  readonly cards: number
  readonly bytes: number
}

/** @param games the games by number */
export const writeBulkFile = (games: readonly BulkOfGame[]): Uint8Array[] =>
  write({
    lines: games.map(({ cards, bytes }) => ({ cards, bytes })),
    gzipAt: offsets(games.map(({ gzip }) => gzip.length)),
    gzip: Buffer.concat(games.map(({ gzip }) => gzip)),
  })

export const readBulkFile = read

/** The gzips of the games, by number. A game that has no gzip in the file is left out. */
export function bulkOfGames({ lines, gzip, gzipAt }: ReturnType<typeof readBulkFile>): BulkOfGame[] {
  return lines.slice(0, gzipAt.length - 1).map((ofGame, game) => {
    return { gzip: gzip.subarray(gzipAt[game], gzipAt[game + 1]), ...ofGame }
  })
}
