/** Scryfall's bulk data: Magic cards and their prices. It writes null, never 0, where a price is unknown. */
import { readAtOnce, type Source } from '../source.ts'
import { readBulk } from './read.ts'

export const scryfall: Source = {
  catalog: 'scryfall',
  composes: true,
  pathsMin: 1,
  pathsMax: 1,
  paths: 'FILE',
  adds: 'bulk data, .json or .jsonl: sets, cards, prices of mtg',
  games: ['mtg'],
  start: readAtOnce(readBulk),
}
