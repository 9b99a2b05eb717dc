/** MTGJSON: Magic sets and cards, and 90 days of their prices at TCGplayer. What it has no price for, it leaves out. */
import { readAtOnce, type Source } from '../source.ts'
import { readMtgjson } from './read.ts'

export const mtgjson: Source = {
  catalog: 'mtgjson',
  composes: true,
  pathsMin: 1,
  pathsMax: Number.MAX_SAFE_INTEGER,
  paths: 'AllPrintings.json AllPrices.json',
  adds: 'sets and cards of mtg, 90 days of history; also AllPricesToday.json, or a set’s own file',
  games: ['mtg'],
  start: readAtOnce(readMtgjson),
}
