/** TCGCSV: TCGplayer's products and prices, mirrored daily. It writes null, never 0, where a price is unknown. */
import { gameSlugs } from '../../../../src/games.ts'
import { readAtOnce, type Source } from '../source.ts'
import { readArchive } from './archive.ts'
import { startMirror } from './read.ts'

export const tcgcsv: Source = {
  catalog: 'tcgcsv',
  composes: true,
  pathsMin: 1,
  pathsMax: 1,
  paths: 'DIR',
  adds: 'a mirror of TCGCSV: sets, cards, prices, a history day',
  games: gameSlugs,
  start: startMirror,
}

export const tcgcsvArchive: Source = {
  catalog: 'tcgcsv',
  composes: false,
  pathsMin: 1,
  pathsMax: Number.MAX_SAFE_INTEGER,
  paths: 'DIR…',
  adds: 'unpacked archive days of TCGCSV: history of known cards',
  games: gameSlugs,
  start: readAtOnce(readArchive),
}
